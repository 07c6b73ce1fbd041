import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { createEditor, Node } from "slate";
import { withHistory } from "slate-history";
import { Editable, Slate, withReact } from "slate-react";

let editor;

function Page() {
  const [made] = useState(() => withHistory(withReact(createEditor())));
  editor = made;
  return h(Slate, { editor, initialValue: [{ type: "paragraph", children: [{ text: "old text" }] }] },
    h(Editable, { "aria-label": "Note" }));
}

export function mount(root) {
  const shown = createRoot(root);
  shown.render(h(Page));
  return { state: () => editor.children.map((block) => Node.string(block)).join("\n"), close: () => shown.unmount() };
}
