"""The reference backend: POST /chat, and the page itself as static files.

`python -m backend` runs it; `create_app` and `routes` (in `backend.app`) put it into a
Starlette or FastAPI application of your own.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

# The page's package lives in `app/`, the page's import root. A checkout runs without being
# installed, so the root is put on the path when `pagehand` is not there already. The spec alone
# says too much: a folder of that name somewhere on the path counts as a package without files.
if (found := find_spec("pagehand")) is None or found.origin is None:
    sys.path.append(str(Path(__file__).resolve().parent.parent / "app"))
