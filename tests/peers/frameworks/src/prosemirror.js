import { baseKeymap } from "prosemirror-commands";
import { keymap } from "prosemirror-keymap";
import { schema } from "prosemirror-schema-basic";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";

export function mount(root) {
  const doc = schema.node("doc", null, [schema.node("paragraph", null, [schema.text("old text")])]);
  const view = new EditorView(root, { state: EditorState.create({ doc, plugins: [keymap(baseKeymap)] }) });
  const state = () => {
    const lines = [];
    view.state.doc.forEach((block) => lines.push(block.textContent));
    return lines.join("\n");
  };
  return { state };
}
