"""The page as static files: only what belongs to it, with the right types and caching.

Served are index.html, pyscript.toml, `app/`, `static/` and `examples/`, nothing else: the
list is of what may leave, not of what may not. Hidden files, links that lead out, and
folders are not found. Big files have a `.br` sibling made at build time; small texts are
compressed on the fly and kept.
"""

from __future__ import annotations

import gzip
import os
import re
import stat
from collections import OrderedDict
from email.utils import formatdate
from functools import partial
from hashlib import sha256
from pathlib import Path

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

_FILES = ("index.html", "pyscript.toml", "favicon.ico")
_FOLDERS = ("app", "static", "examples")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".wasm": "application/wasm",
    ".py": "text/x-python; charset=utf-8",
    ".toml": "application/toml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
    ".ico": "image/vnd.microsoft.icon",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
    ".whl": "application/zip",
    ".so": "application/octet-stream",
    ".data": "application/octet-stream",
    ".webmanifest": "application/manifest+json",
}
_TEXT = ("text/", "application/json", "application/toml", "image/svg", "application/manifest")
_VERSIONED = re.compile(r"static/vendor/(?:[^/]+-\d[^/]*/.+|.+[-.][0-9a-f]{8,64}\.[a-z0-9.]+)")
"""Below a folder with a version in its name, or with a hash in the file's own."""

_GZIP_FROM, _GZIP_TO = 1_024, 1_000_000
_GZIP_KEPT = 64


def content_security_policy(connect: tuple[str, ...] = ()) -> str:
    """What our own page may do: everything from here, nothing from elsewhere.

    Pyodide compiles WebAssembly; PyScript's core builds a function from text, which needs
    `unsafe-eval`. No inline scripts, no inline styles.

    Args:
        connect: Further origins that the page may talk to.
    """
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self' 'wasm-unsafe-eval' 'unsafe-eval'",
            "style-src 'self'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            " ".join(("connect-src 'self'", *connect)),
            "manifest-src 'self'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    )


class Site:
    """The ASGI application behind everything that is no API.

    Args:
        root: The folder that holds index.html.
        connect: Further origins for the page's policy.
    """

    def __init__(self, root: Path, connect: tuple[str, ...] = ()) -> None:
        self._root = root.resolve()
        self._policy = content_security_policy(connect)
        self._gzipped: OrderedDict[tuple[str, int, int], bytes] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GET and HEAD."""
        request = Request(scope, receive)
        if request.method not in ("GET", "HEAD"):
            response: Response = PlainTextResponse(
                "Only GET and HEAD.", 405, {"allow": "GET, HEAD"}
            )
        else:
            response = await self._file(request)
        for name, value in self._security(response).items():
            response.headers.setdefault(name, value)
        await response(scope, receive, send)

    def _security(self, response: Response) -> dict[str, str]:
        headers = {
            "x-content-type-options": "nosniff",
            "referrer-policy": "strict-origin-when-cross-origin",
            # Other sites embed these files: module scripts are always fetched with CORS.
            "access-control-allow-origin": "*",
            "cross-origin-resource-policy": "cross-origin",
        }
        if response.headers.get("content-type", "").startswith(("text/html", "image/svg")):
            headers["content-security-policy"] = self._policy
            headers["cross-origin-opener-policy"] = "same-origin-allow-popups"
        return headers

    async def _file(self, request: Request) -> Response:
        found = await to_thread.run_sync(self.find, request.scope["path"])
        if found is None:
            return PlainTextResponse("Not found.", 404, {"cache-control": "no-cache"})
        path, info = found
        name = path.relative_to(self._root).as_posix()
        headers = {
            "etag": _etag(name, info),
            "last-modified": formatdate(info.st_mtime, usegmt=True),
            "cache-control": "public, max-age=31536000, immutable"
            if _VERSIONED.fullmatch(name)
            else "no-cache",
            "vary": "accept-encoding",
        }
        if _is_known(request, headers):
            return Response(status_code=304, headers=headers)
        media_type = _TYPES.get(path.suffix.lower(), "application/octet-stream")
        return await self._body(request, path, info, media_type, headers)

    async def _body(
        self,
        request: Request,
        path: Path,
        info: os.stat_result,
        media_type: str,
        headers: dict[str, str],
    ) -> Response:
        accepted = request.headers.get("accept-encoding", "")
        packed = path.with_name(path.name + ".br")
        if "br" in accepted and "range" not in request.headers and packed.is_file():
            # Its own ETag: a cache must not mix the two forms.
            headers |= {"content-encoding": "br", "etag": headers["etag"][:-1] + '-br"'}
            return FileResponse(packed, headers=headers, media_type=media_type)
        small = _GZIP_FROM <= info.st_size <= _GZIP_TO and media_type.startswith(_TEXT)
        if small and "gzip" in accepted and "range" not in request.headers:
            data = await to_thread.run_sync(partial(self._gzip, path, info))
            headers |= {"content-encoding": "gzip", "etag": headers["etag"][:-1] + '-gz"'}
            return Response(data, headers=headers, media_type=media_type)
        return FileResponse(path, headers=headers, media_type=media_type)

    def find(self, url_path: str) -> tuple[Path, os.stat_result] | None:
        """The file for a path, or None if there is none that may leave."""
        parts = [part for part in url_path.split("/") if part]
        if url_path.endswith("/"):
            parts.append("index.html")
        if any(part.startswith(".") or "\\" in part or "\0" in part for part in parts):
            return None
        if len(parts) == 1 and parts[0] not in _FILES:
            return None
        if len(parts) > 1 and parts[0] not in _FOLDERS:
            return None
        try:
            path = self._root.joinpath(*parts).resolve()
            info = path.stat()
        except (OSError, ValueError):
            return None
        inside = path.is_relative_to(self._root) and stat.S_ISREG(info.st_mode)
        return (path, info) if inside else None

    def _gzip(self, path: Path, info: os.stat_result) -> bytes:
        key = (str(path), info.st_mtime_ns, info.st_size)
        data = self._gzipped.get(key)
        if data is None:
            data = gzip.compress(path.read_bytes(), 6, mtime=0)
            self._gzipped[key] = data
            if len(self._gzipped) > _GZIP_KEPT:
                self._gzipped.popitem(last=False)
        return data


def _etag(name: str, info: os.stat_result) -> str:
    seed = f"{name} {info.st_mtime_ns} {info.st_size}"
    return f'"{sha256(seed.encode()).hexdigest()[:20]}"'


def _is_known(request: Request, headers: dict[str, str]) -> bool:
    """Whether the client has this version already, in whatever encoding."""
    given = request.headers.get("if-none-match")
    if given is not None:
        own = headers["etag"][:-1]
        tags = (tag.strip().removeprefix("W/") for tag in given.split(","))
        return any(tag == "*" or tag in (own + '"', own + '-br"', own + '-gz"') for tag in tags)
    return request.headers.get("if-modified-since") == headers["last-modified"]
