/*
 * Chinese and Japanese text has no blanks between words, which Markdown's rules rely on: a bare
 * link swallows the full stop after it, and `**注意：**请` is not bold. Both are put right here.
 */
import { Tokenizer } from "./vendor/js/marked.js";

const EAST_ASIAN = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/;
const WIDE_MARKS = /[\u3001-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65“”‘’…—·]/g;
const LINK_ENDS = /[\u3001-\u303f\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f“”‘’…]/;
const MARK_BEFORE = /[!-#%&'(),\-./:;<=>?@[\]^{|}](?=\*+[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef])/g;
const MARK_AFTER = /(?<=[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]\*+)[!-#%&'(),\-./:;<=>?@[\]^{|}]/g;
const LETTER = "中";

/** The same text with punctuation that must not count as such replaced by letters. */
function asLetters(text) {
  return text.replace(WIDE_MARKS, LETTER).replace(MARK_BEFORE, LETTER).replace(MARK_AFTER, LETTER);
}

export class EastAsianTokenizer extends Tokenizer {
  emStrong(src, masked, before = "") {
    if ((src[0] !== "*" && src[0] !== "_") || !EAST_ASIAN.test(masked)) return super.emStrong(src, masked, before);
    const found = super.emStrong(asLetters(src), asLetters(masked), asLetters(before));
    if (!found) return found;
    const raw = src.slice(0, found.raw.length);
    const edge = found.type === "strong" ? 2 : 1;
    const text = raw.slice(edge, -edge);
    return { ...found, raw, text, tokens: this.lexer.inlineTokens(text) };
  }

  url(src) {
    const found = super.url(src);
    const end = found ? found.raw.search(LINK_ENDS) : -1;
    return end > 0 ? super.url(src.slice(0, end)) : found;
  }
}
