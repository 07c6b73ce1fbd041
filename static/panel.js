/**
 * Where the panel stands: in the text (`inline`), docked at the edge (`side`), or floating over
 * the page behind a launcher (`modal`). The floating ones use the browser's top layer, which no
 * `z-index`, `overflow` or `transform` of the host can reach. The panel never blocks the page:
 * an assistant that works on the page must leave the page usable.
 */

const MODES = new Set(["inline", "side", "modal"]);
const NARROW = 900;

function setSpace(width) {
  document.documentElement.style.setProperty("--pagehand-side-space", width);
}

export class Panel {
  #open = null;
  #madeRoom;
  // Tells the width when the browser has laid the page out anyway; asking would make it do so twice.
  #width = new ResizeObserver(() => this.#stands() && setSpace(`${this.shell.panel.offsetWidth}px`));

  constructor(shell) {
    this.shell = shell;
    this.#madeRoom = shell.root.hasAttribute("data-early"); // the first field did
    shell.launcher.addEventListener("click", () => this.toggle(true));
    shell.collapse.addEventListener("click", () => this.toggle(false));
    shell.panel.addEventListener("keydown", (event) => this.#key(event));
    for (const type of ["keydown", "keyup", "keypress"]) {
      // Single-key shortcuts of the host must not fire while somebody types here.
      shell.root.addEventListener(type, (event) => {
        if (event.target.matches?.("textarea, input, select")) event.stopPropagation();
      });
    }
  }

  get mode() {
    const wish = this.shell.attribute("mode");
    return MODES.has(wish) ? wish : "inline";
  }

  get open() {
    if (this.mode === "inline") return true;
    return this.#open ?? this.#remembered() ?? (this.mode === "side" && innerWidth >= NARROW);
  }

  /** Opens or closes, moves the focus along, and remembers it for the next page. */
  toggle(open) {
    this.#open = open;
    this.shell.root.removeAttribute("data-early");
    try {
      sessionStorage.setItem(this.#storageKey(), open ? "open" : "closed");
    } catch { /* storage may be denied; then it is not remembered */ }
    this.apply();
    if (open) this.shell.textarea.focus({ preventScroll: true });
    else this.shell.launcher.focus({ preventScroll: true });
    if (open) this.shell.hooks.opened();
  }

  /** Brings the DOM in line with the attributes; safe to call at any time. */
  apply() {
    const { root, panel, launcher, collapse } = this.shell;
    const { mode, open } = this;
    root.dataset.mode = mode;
    if (mode !== "side") root.removeAttribute("data-early");
    root.toggleAttribute("data-open", open);
    panel.setAttribute("role", mode === "modal" ? "dialog" : mode === "side" ? "complementary" : "region");
    collapse.hidden = mode === "inline";
    const label = this.shell.say(mode === "modal" ? "close" : "collapse");
    collapse.title = label;
    collapse.setAttribute("aria-label", label);
    this.#layer(panel, mode !== "inline", open);
    this.#layer(launcher, mode !== "inline", !open);
    launcher.setAttribute("aria-expanded", String(open));
    launcher.setAttribute("aria-haspopup", mode === "modal" ? "dialog" : "false");
    this.#makeRoom(mode === "side");
  }

  /** Tells the page how wide the docked panel is: `padding-inline-end: var(--pagehand-side-space)`. */
  #makeRoom(docked) {
    if (!docked && !this.#madeRoom) return;
    this.#madeRoom = docked;
    if (!this.#stands()) setSpace("0px");
    else this.#width.observe(this.shell.panel); // tells anew each time
  }

  /** Whether it is docked and open beside a page that is wide enough for both. */
  #stands() {
    return this.mode === "side" && this.open && this.shell.element.isConnected && innerWidth >= NARROW;
  }

  /** The element has gone: give its room back to the page. */
  leave() {
    this.#width.disconnect();
    this.#makeRoom(this.#madeRoom);
  }

  /** Shows or hides one box, in the top layer when it floats. */
  #layer(box, floats, shown) {
    box.hidden = !shown;
    if (!box.showPopover) return;
    if (!floats) {
      box.removeAttribute("popover");
      return;
    }
    box.popover = "manual";
    const isShown = box.matches(":popover-open");
    if (shown && !isShown && box.isConnected) box.showPopover();
    if (!shown && isShown) box.hidePopover();
  }

  #key(event) {
    if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
    if (this.mode !== "modal") return;
    event.preventDefault();
    event.stopPropagation();
    this.toggle(false);
  }

  #storageKey() {
    return `pagehand:panel:${this.shell.attribute("thread") ?? "default"}`;
  }

  #remembered() {
    try {
      const kept = sessionStorage.getItem(this.#storageKey());
      return kept === null ? null : kept === "open";
    } catch {
      return null;
    }
  }
}
