import { createElement as h, Fragment } from "react";
import Select from "react-select";
import { fruits, page } from "./react-page.js";

const options = fruits.map((label) => ({ label, value: label.toLowerCase() }));

export const mount = (root) => page(root, { fruit: null, tags: [] }, (state, change) => h(Fragment, null,
  h("label", { htmlFor: "fruit" }, "Fruit"),
  h(Select, { inputId: "fruit", options, value: state.fruit, onChange: change("fruit") }),
  h("label", { htmlFor: "tags" }, "Tags"),
  h(Select, { inputId: "tags", options, isMulti: true, value: state.tags, onChange: change("tags") })));
