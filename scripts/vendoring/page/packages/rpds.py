"""Gives `referencing` its `rpds`: pure Python, as there is no WebAssembly wheel of it."""

from pyrsistent_as_rpds.pure import *  # noqa: F403
