import { createEmptyHistoryState, registerHistory } from "@lexical/history";
import { registerRichText } from "@lexical/rich-text";
import { $createParagraphNode, $createTextNode, $getRoot, createEditor } from "lexical";

export function mount(root) {
  const place = root.appendChild(document.createElement("div"));
  Object.assign(place, { contentEditable: "true", ariaLabel: "Note" });
  const editor = createEditor({ onError(error) { throw error; } });
  registerRichText(editor);
  registerHistory(editor, createEmptyHistoryState(), 300);
  editor.setRootElement(place);
  editor.update(() => $getRoot().append($createParagraphNode().append($createTextNode("old text"))));
  const state = () => editor.read(() => $getRoot().getChildren().map((block) => block.getTextContent()).join("\n"));
  return { state };
}
