"""Gives `referencing` its `rpds`: the pure Python stand-in, as no WebAssembly wheel is to be had."""

from pyrsistent_as_rpds.pure import *  # noqa: F403
