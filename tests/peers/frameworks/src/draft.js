import { ContentState, Editor, EditorState } from "draft-js";
import { createElement as h, useState } from "react";
import ReactDOM from "react-dom";

let now;

function Page() {
  const [state, set] = useState(() => EditorState.createWithContent(ContentState.createFromText("old text")));
  now = state;
  return h(Editor, { editorState: state, onChange: set, ariaLabel: "Note" });
}

export function mount(root) {
  ReactDOM.render(h(Page), root);
  return { state: () => now.getCurrentContent().getPlainText("\n"), close: () => ReactDOM.unmountComponentAtNode(root) };
}
