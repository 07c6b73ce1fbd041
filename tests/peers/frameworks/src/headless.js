import { Field, Label, Listbox, ListboxButton, ListboxOption, ListboxOptions, Switch } from "@headlessui/react";
import { createElement as h, Fragment } from "react";
import { fruits, page } from "./react-page.js";

export const mount = (root) => page(root, { fruit: "", dark: false }, (state, change) => h(Fragment, null,
  h(Field, null, h(Label, null, "Fruit"),
    h(Listbox, { value: state.fruit, onChange: change("fruit") },
      h(ListboxButton, null, state.fruit || "Choose"),
      h(ListboxOptions, { anchor: "bottom" }, fruits.map((name) => h(ListboxOption, { key: name, value: name }, name))))),
  h(Field, null, h(Label, null, "Dark"), h(Switch, { checked: state.dark, onChange: change("dark") }))));
