import { basicSetup, EditorView } from "codemirror";

export function mount(root) {
  const view = new EditorView({ parent: root, doc: "old text", extensions: [basicSetup] });
  return { state: () => view.state.doc.toString() };
}
