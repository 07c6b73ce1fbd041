"""What tells the person's click from a script's, in a page whose scripts replaced things."""

from __future__ import annotations

import pytest

from browser.views.driver import Stage

pytestmark = pytest.mark.browser

PATCH = """() => {
  window.taken = [Object.getOwnPropertyDescriptor,
    Object.getOwnPropertyDescriptor(Event.prototype, "type"),
    Object.getOwnPropertyDescriptor(Event.prototype, "currentTarget")];
  const lie = { get: () => true, value: true, configurable: true };
  const put = (name, get) =>
    Object.defineProperty(Event.prototype, name, { get, configurable: true });
  put("type", () => "click");
  put("currentTarget", () => document.body);
  Object.getOwnPropertyDescriptor = () => lie;
}"""
RESTORE = """() => {
  const [descriptor, type, target] = taken;
  Object.getOwnPropertyDescriptor = descriptor;
  Object.defineProperty(Event.prototype, "type", type);
  Object.defineProperty(Event.prototype, "currentTarget", target);
}"""


def test_functions_that_a_script_replaced_later_make_no_click_real(stage: Stage) -> None:
    stage.run(
        """
import js
from pagehand.ui.trust import is_real_click
from pyodide.ffi import create_proxy
seen = []
js.window.judge = create_proxy(lambda event: seen.append(is_real_click(event)))
"""
    )
    stage.page.evaluate(PATCH)
    try:
        stage.page.evaluate(
            """() => {
  const button = document.createElement("button");
  button.id = "probe";
  button.textContent = "probe";
  button.style.cssText = "position:fixed;inset:0 auto auto 0;z-index:99";
  document.body.append(button);
  button.addEventListener("click", judge);
  button.addEventListener("mousedown", judge);
  button.click();
  button.dispatchEvent(new MouseEvent("click"));
  judge({ isTrusted: true, type: "click", currentTarget: button });
  judge(null);
}"""
        )
        assert stage.ask("seen") == [False, False, False, False]
        stage.page.locator("#probe").click()
        assert stage.ask("seen[4:]") == [False, True]  # the press is no click
    finally:
        stage.page.evaluate(RESTORE)
        stage.page.evaluate("document.getElementById('probe').remove()")


def test_no_script_puts_its_own_module_in_the_place_of_ours(stage: Stage) -> None:
    told = stage.page.evaluate(
        """async () => {
          const { registerModule } = await import("/static/runtime.js");
          try {
            registerModule("pagehand_shell", { isRealClick: () => true });
          } catch (error) {
            return error.message;
          }
        }"""
    )
    assert told == "registerModule: pagehand_shell is registered already"
