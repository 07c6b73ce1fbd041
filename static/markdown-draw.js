/*
 * From marked's tokens to elements of our own choice: plain DOM calls, so no HTML string exists.
 */

const SAFE_LINKS = new Set(["http:", "https:", "mailto:", "tel:"]);
const INLINE_TAGS = new Set(["b", "i", "u", "s", "em", "strong", "del", "sub", "sup", "kbd", "mark", "small"]);
const REFUSED = new Set(); // origins whose pictures the page's policy does not let in
const PENDING_LINK = "streamdown:incomplete-link";
const ENTITIES = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®",
  trade: "™", hellip: "…", mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”",
  laquo: "«", raquo: "»", middot: "·", bull: "•", times: "×", divide: "÷", deg: "°", plusmn: "±",
  le: "≤", ge: "≥", ne: "≠", larr: "←", rarr: "→", uarr: "↑", darr: "↓", euro: "€", pound: "£",
  yen: "¥", sect: "§", para: "¶", ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009", check: "✓",
};

export function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children);
  return node;
}

function decode(text) {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (all, dec, hex, name) => {
    if (name) return ENTITIES[name] ?? all;
    const point = dec ? Number(dec) : parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
  });
}

function parseAddress(href) {
  try {
    return new URL(decode(href), document.baseURI);
  } catch {
    return null;
  }
}

/** Draws tokens. `labels` are the words of the few controls. */
export class Drawer {
  constructor(labels) {
    this.labels = labels;
  }

  // --- inline ---

  inline(parent, tokens) {
    const open = [parent];
    for (const token of tokens ?? []) {
      const top = open[open.length - 1];
      if (token.type === "html") this.inlineTag(open, token.raw);
      else top.append(this.inlineNode(token));
    }
  }

  inlineTag(open, raw) {
    const [, slash, name] = /^<(\/?)([a-z]+)\s*\/?>$/i.exec(raw) ?? [];
    const tag = name?.toLowerCase();
    const top = open[open.length - 1];
    if (tag === "br") top.append(make("br"));
    else if (raw.startsWith("<!--")) return;
    else if (INLINE_TAGS.has(tag) && !slash) {
      const node = make(tag);
      top.append(node);
      open.push(node);
    } else if (INLINE_TAGS.has(tag) && open.length > 1 && top.localName === tag) open.pop();
    else top.append(raw);
  }

  inlineNode(token) {
    switch (token.type) {
      case "strong":
      case "em":
      case "del":
        return this.wrap(token.type, token.tokens);
      case "codespan":
        return make("code", "md-inline-code", token.text);
      case "br":
        return make("br");
      case "link":
        return this.link(token);
      case "image":
        return this.image(token);
      case "checkbox":
        return this.checkbox(token.checked);
      case "escape":
        return document.createTextNode(token.text);
      default:
        if (token.tokens) return this.wrap("span", token.tokens);
        return document.createTextNode(decode(token.text ?? token.raw));
    }
  }

  wrap(tag, tokens) {
    const node = make(tag);
    this.inline(node, tokens);
    return node;
  }

  link(token) {
    if (token.href === PENDING_LINK) {
      const node = this.wrap("span", token.tokens);
      node.className = "md-link-pending";
      return node;
    }
    const address = parseAddress(token.href);
    if (!address || !SAFE_LINKS.has(address.protocol)) return this.wrap("span", token.tokens);
    const node = this.wrap("a", token.tokens);
    node.href = address.href;
    node.title = token.title ? `${decode(token.title)} (${address.href})` : address.href;
    node.target = "_blank";
    node.rel = "noopener noreferrer";
    return node;
  }

  // An image address can carry the conversation away, so nothing is fetched before a click.
  image(token) {
    const address = parseAddress(token.href);
    const alt = decode(token.text ?? "");
    if (!address || !/^https?:$/.test(address.protocol)) return document.createTextNode(alt);
    if (REFUSED.has(address.origin)) return pictureLink(address, alt);
    const label = this.labels.image.replace("{host}", address.host);
    const node = make("button", "md-image", make("span", "md-image-alt", alt || label), make("span", "md-image-host", label));
    node.type = "button";
    node.dataset.action = "load-image";
    node.dataset.address = address.href;
    node.dataset.alt = alt;
    return node;
  }

  // --- blocks ---

  block(token) {
    switch (token.type) {
      case "heading": // below the page's own headings
        return this.wrap(`h${Math.min(token.depth + 2, 6)}`, token.tokens);
      case "paragraph":
        return this.wrap("p", token.tokens);
      case "code":
        return this.code(token.text, token.lang);
      case "blockquote":
        return make("blockquote", "", ...token.tokens.map((inner) => this.block(inner)).filter(Boolean));
      case "list":
        return this.list(token);
      case "table":
        return this.table(token);
      case "hr":
        return make("hr");
      case "html":
        return token.raw.trimStart().startsWith("<!--") ? null : make("p", "md-source", token.raw.trim());
      case "space":
      case "def":
        return null;
      default:
        return token.tokens ? this.wrap("p", token.tokens) : make("p", "", decode(token.text ?? token.raw));
    }
  }

  code(text, info) {
    const language = (info ?? "").trim().split(/\s+/)[0];
    const copy = make("button", "md-copy", this.labels.copy);
    copy.type = "button";
    copy.dataset.action = "copy-code";
    const code = make("code", "", text);
    if (language) code.dataset.language = language;
    const pre = make("pre", "", code);
    pre.tabIndex = 0;
    return make("div", "md-code", make("div", "md-code-head", make("span", "md-code-language", language || this.labels.code), copy), pre);
  }

  list(token) {
    const node = make(token.ordered ? "ol" : "ul");
    if (token.ordered && token.start !== 1) node.start = token.start;
    this.items(node, token, []);
    return node;
  }

  items(node, token, before) {
    token.items.forEach((item, index) => {
      if (before[index]?.raw === item.raw && before[index]?.loose === item.loose) return;
      const made = this.item(item);
      const old = node.children[index];
      if (old) morph(old, made);
      else node.append(made);
    });
    while (node.children.length > token.items.length) node.lastChild.remove();
  }

  item(item) {
    const node = make("li", item.task ? "md-task" : "");
    const tokens = [...item.tokens];
    if (item.task && !holdsCheckbox(tokens)) node.append(this.checkbox(item.checked));
    for (const token of tokens) {
      if (token.type === "text" && !item.loose) this.inline(node, token.tokens ?? [token]);
      else if (token.type === "checkbox") node.append(this.checkbox(token.checked));
      else node.append(this.block(token) ?? "");
    }
    return node;
  }

  checkbox(checked) {
    const box = make("input");
    box.type = "checkbox";
    box.disabled = true;
    box.toggleAttribute("checked", checked);
    return box;
  }

  table(token) {
    const head = make("tr");
    token.header.forEach((cell, index) => head.append(this.cell("th", cell, token.align[index])));
    const body = make("tbody");
    this.rows(body, token, []);
    const frame = make("div", "md-table", make("table", "", make("thead", "", head), body));
    frame.tabIndex = 0;
    return frame;
  }

  rows(body, token, before) {
    token.rows.forEach((row, index) => {
      const old = before[index];
      if (old && row.every((cell, column) => cell.text === old[column]?.text)) return;
      const made = make("tr");
      row.forEach((cell, column) => made.append(this.cell("td", cell, token.align[column])));
      if (body.children[index]) morph(body.children[index], made);
      else body.append(made);
    });
    while (body.children.length > token.rows.length) body.lastChild.remove();
  }

  cell(tag, cell, align) {
    const node = this.wrap(tag, cell.tokens);
    if (align) node.dataset.align = align;
    return node;
  }
}

/** In the place of a picture that cannot be shown. */
function pictureLink(address, alt) {
  const node = make("a", "md-picture-link", alt || address.host);
  node.href = node.title = address.href;
  node.target = "_blank";
  node.rel = "noopener noreferrer";
  return node;
}

/** Shows a picture where its button was; a link to it if it does not come. */
export function loadPicture(button) {
  const { address, alt } = button.dataset;
  const image = make("img", "md-picture");
  const { origin } = new URL(address);
  const ending = new AbortController();
  const { signal } = ending;
  // Further pictures that the page's policy would refuse get no button.
  const refused = (event) => {
    if (event.effectiveDirective === "img-src" && event.blockedURI.startsWith(origin)) REFUSED.add(origin);
  };
  document.addEventListener("securitypolicyviolation", refused, { signal });
  image.addEventListener("load", () => ending.abort(), { signal });
  image.addEventListener("error", () => {
    image.replaceWith(pictureLink(new URL(address), alt));
    setTimeout(() => ending.abort(), 1000);
  }, { once: true });
  Object.assign(image, { alt, referrerPolicy: "no-referrer", decoding: "async", src: address });
  button.replaceWith(image);
}

function holdsCheckbox(tokens) {
  return tokens.some((token) => token.type === "checkbox" || token.tokens?.[0]?.type === "checkbox");
}

/** Makes `old` look like `made`, keeping every node that can stay. Returns the node that stands. */
export function morph(old, made) {
  if (old.nodeType !== made.nodeType || old.nodeName !== made.nodeName) {
    old.replaceWith(made);
    return made;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (made.data.startsWith(old.data)) {
      if (made.data.length > old.data.length) old.appendData(made.data.slice(old.data.length));
    } else old.data = made.data;
    return old;
  }
  for (const name of old.getAttributeNames()) if (!made.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of made.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const wanted = [...made.childNodes];
  wanted.forEach((child, index) => {
    const there = old.childNodes[index];
    if (there) morph(there, child);
    else old.append(child);
  });
  while (old.childNodes.length > wanted.length) old.lastChild.remove();
  return old;
}

