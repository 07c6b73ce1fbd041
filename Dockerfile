# The backend with the page. Build it in this folder:
#
#     docker build -t pagehand .
#     docker run --rm -p 127.0.0.1:8000:8000 -e PAGEHAND_ALLOWED_HOSTS=127.0.0.1,localhost pagehand
#
# The names are those in the address that people open; any other name is refused. A container
# cannot know them, and without the setting it answers to every name.
# Settings are environment variables, see docs/backend.md; compose.yaml runs two replicas.

FROM python:3.13-slim AS build
WORKDIR /build
RUN apt-get update \
 && apt-get install -y --no-install-recommends make \
 && rm -rf /var/lib/apt/lists/*

# What the image runs with. The providers' clients are large: give PROVIDERS=1 for them.
COPY requirements.txt requirements-deploy.txt requirements-providers.txt ./
ARG PROVIDERS=""
RUN python -m venv /opt/pagehand \
 && /opt/pagehand/bin/pip install --no-cache-dir -r requirements-deploy.txt \
 && if [ -n "$PROVIDERS" ]; then \
      /opt/pagehand/bin/pip install --no-cache-dir -r requirements-providers.txt; \
    fi

# static/vendor/: fetched by the lock file, every file checked against its hash.
COPY Makefile pyproject.toml vendor.lock.json pyscript.toml index.html ./
COPY scripts scripts
COPY app app
COPY static static
RUN make vendor

FROM python:3.13-slim
RUN useradd --system --no-create-home --shell /usr/sbin/nologin pagehand
WORKDIR /srv/pagehand
COPY --from=build /opt/pagehand /opt/pagehand
COPY backend backend
COPY app app
COPY examples examples
COPY index.html pyscript.toml ./
COPY static static
COPY --from=build /build/static/vendor static/vendor
RUN ["/opt/pagehand/bin/python", "-m", "compileall", "-q", "backend", "app/pagehand"]

# Nothing here is writable for the process, and it needs no folder to write to.
USER pagehand
ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PAGEHAND_HOST=0.0.0.0 \
    PAGEHAND_PORT=8000
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["/opt/pagehand/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
# As the first process and not through a shell, so that the signal to stop reaches it.
CMD ["/opt/pagehand/bin/python", "-m", "backend"]
