import * as Checkbox from "@radix-ui/react-checkbox";
import * as Menu from "@radix-ui/react-dropdown-menu";
import * as Select from "@radix-ui/react-select";
import { createElement as h, Fragment } from "react";
import { fruits, page } from "./react-page.js";

export const mount = (root) => page(root, { fruit: "", agree: false, action: "" }, (state, change) => h(Fragment, null,
  h(Select.Root, { value: state.fruit, onValueChange: change("fruit") },
    h(Select.Trigger, { "aria-label": "Fruit" }, h(Select.Value, { placeholder: "Choose" })),
    h(Select.Portal, null, h(Select.Content, null, h(Select.Viewport, null, fruits.map((name) =>
      h(Select.Item, { key: name, value: name.toLowerCase() }, h(Select.ItemText, null, name))))))),
  h("label", null, h(Checkbox.Root, { checked: state.agree, onCheckedChange: change("agree") },
    h(Checkbox.Indicator, null, "✓")), "Agree"),
  h(Menu.Root, null,
    h(Menu.Trigger, null, "Options"),
    h(Menu.Portal, null, h(Menu.Content, null, ["Rename", "Copy"].map((name) =>
      h(Menu.Item, { key: name, onSelect: () => change("action")(name) }, name)))))));
