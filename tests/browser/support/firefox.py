"""Drives Firefox through its own WebDriver BiDi: the few words the tests need.

    with Firefox(program) as firefox:
        firefox.page.goto(url)
        firefox.page.evaluate("(a) => a + 1", 1)       # 2, as Playwright's evaluate
        firefox.page.press("#button")                  # a real press, which the browser trusts

`FirefoxPage` has the part of Playwright's page that `Workbench` uses.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from peers.process import Closing, end

# Nothing leaves this machine: what is not local goes to a proxy that is not there.
PREFERENCES: dict[str, Any] = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.disable_open_during_load": True,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.proxy.type": 1,
    "remote.prefs.recommended": False,  # among them is one that lets all windows open
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "network.proxy.no_proxies_on": "localhost, 127.0.0.1",
    "toolkit.telemetry.enabled": False,
}
FLAGS = ("--headless", "--remote-debugging-port=0", "--no-remote")
START_SECONDS = 60


class FirefoxError(Exception):
    """Firefox did not start, or a page's script failed."""


class FirefoxPage:
    """One tab."""

    def __init__(self, browser: Firefox, context: str) -> None:
        self._browser = browser
        self.context = context

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self.evaluate("location.href"))

    def goto(self, url: str) -> None:
        """Opens an address and waits for its load."""
        self._browser.ask(
            "browsingContext.navigate", context=self.context, url=url, wait="complete"
        )

    def evaluate(self, code: str, argument: Any = None) -> Any:
        """Runs an expression, or a function with one argument; its JSON value comes back."""
        wrapped = f"""(async () => {{
          const given = ({code});
          const value = typeof given === "function" ? given({json.dumps(argument)}) : given;
          return JSON.stringify((await value) ?? null);
        }})()"""
        answer = self._browser.ask(
            "script.evaluate",
            expression=wrapped,
            target={"context": self.context},
            awaitPromise=True,
        )
        if answer["type"] == "exception":
            raise FirefoxError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def press(self, finder: str) -> None:
        """A real press on the middle of the element that a JavaScript expression gives."""
        x, y = self.evaluate(
            f"(() => {{ const box = ({finder}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round); })()"
        )
        moves = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "actions": moves}
        self._browser.ask("input.performActions", context=self.context, actions=[mouse])


class Firefox(Closing):
    """One headless Firefox with a profile of its own."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in PREFERENCES.items()
        ]
        (Path(self._folder.name) / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self._process = subprocess.Popen(
            [program, *FLAGS, "--profile", self._folder.name, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._numbers = itertools.count(1)
        self._open = ExitStack()
        self._socket: ClientConnection | None = None
        try:
            address = f"{self._address()}/session"
            opening = connect(address, open_timeout=START_SECONDS, max_size=None, proxy=None)
            self._socket = self._open.enter_context(opening)
            self.ask("session.new", capabilities={})
            tree = self.ask("browsingContext.getTree")
        except BaseException:
            self.close()
            raise
        self.page = FirefoxPage(self, tree["contexts"][0]["context"])

    def _address(self) -> str:
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line)
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            if found:
                return found[1].rstrip("/")
        raise FirefoxError("Firefox did not start:\n" + "".join(said[-20:]))

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and waits for its answer."""
        assert self._socket is not None
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=120))
            if answer.get("id") != number:
                continue
            if answer["type"] == "error":
                raise FirefoxError(f"{method}: {answer['message']}")
            result: dict[str, Any] = answer["result"]
            return result

    @property
    def tabs(self) -> list[str]:
        """The addresses of all tabs."""
        return [one["url"] for one in self.ask("browsingContext.getTree")["contexts"]]

    def close(self) -> None:
        """Ends the browser."""
        self._open.close()
        end(self._process)
        self._folder.cleanup()
