import { createElement } from "react";
import ReactDOM from "react-dom";
import { Form, told } from "./react-form.js";

export function mount(root) {
  ReactDOM.render(createElement(Form), root);
  told.changes = 0;
  return { state: () => told.state, changes: () => told.changes, close: () => ReactDOM.unmountComponentAtNode(root) };
}
