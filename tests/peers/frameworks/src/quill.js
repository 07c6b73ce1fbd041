import Quill from "quill";
import "quill/dist/quill.snow.css";

export function mount(root) {
  root.innerHTML = "<div></div>";
  const editor = new Quill(root.firstElementChild, { theme: "snow" });
  editor.setText("old text\n");
  return { state: () => editor.getText().replace(/\n$/, "") };
}
