/**
 * Checks whether an SVG image is inert: it runs nothing and loads nothing from elsewhere. The text is read once from left to right as XML, so the
 * work is linear in its length. Texts that are not well-formed are refused, because parsers treat them differently.
 */

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
/** Namespaces that browsers act on. Elements of other namespaces are not drawn and do nothing. */
const ACTIVE_NAMESPACE = /^http:\/\/www\.w3\.org\/(?:1999\/xhtml|1998\/math|2001\/xml-events|1999\/xsl)/i;

const ELEMENTS = new Set(
  (
    "a animate animatemotion animatetransform circle clippath defs desc ellipse feblend fecolormatrix fecomponenttransfer fecomposite " +
    "feconvolvematrix fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood fefunca fefuncb fefuncg fefuncr fegaussianblur " +
    "feimage femerge femergenode femorphology feoffset fepointlight fespecularlighting fespotlight fetile feturbulence filter font font-face " +
    "font-face-name font-face-src g glyph hkern image line lineargradient marker mask metadata missing-glyph mpath path pattern polygon polyline " +
    "radialgradient rect set solidcolor stop style svg switch symbol text textpath title tspan use view"
  ).split(" "),
);

/** Attributes that refer to a resource. */
const REFERENCES = new Set(["href", "src", "action", "formaction", "data", "poster", "srcset"]);
/** Forbidden attributes: `xml:base` changes every relative reference, and `ping` sends a request. */
const FORBIDDEN_ATTRIBUTES = new Set(["base", "ping", "srcdoc"]);
const INNER_REFERENCE = /^\s*(?:#|data:image\/(?:png|jpeg|gif|webp)[;,]|$)/i;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const DECLARATION = /<\?xml\s[^?<>]*\?>/y;
const UTF8 = /\sencoding\s*=\s*["'](?:utf-8|us-ascii)["']/i;
const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
const SPACES = /[ \t\r\n]+/y;
const EQUALS = /[ \t\r\n]*=[ \t\r\n]*(?=["'])/y;

class NotInert extends Error {}

/** Escaped character of CSS, such as `\75 `: a backslash, up to six hexadecimal digits and an optional space. */
const CSS_ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi;
/** Parts of a style that load resources. */
const CSS_LOADERS = ["@import", "image-set(", "image(", "src(", "expression(", "-moz-binding", "behavior:"];
const CSS_INNER_URL = /\s*(?:["']\s*)?(?:#|data:image\/|data:font\/)/iy;

function isInertCss(text: string): boolean {
  const css = text
    .replace(CSS_ESCAPE, (_, hex?: string, char?: string) =>
      hex === undefined ? (char ?? "") : letterOf(Number.parseInt(hex, 16)),
    )
    .toLowerCase();
  if (CSS_LOADERS.some((loader) => css.includes(loader))) return false;
  for (let start = css.indexOf("url("); start >= 0; start = css.indexOf("url(", start + 4)) {
    CSS_INNER_URL.lastIndex = start + 4;
    if (!CSS_INNER_URL.test(css)) return false;
  }
  return true;
}

const letterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");
const localName = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(":")));

/** Decodes a text of XML. @throws NotInert for entities that XML itself does not define */
function decoded(text: string): string {
  return text.replace(/&([^;&\s]{0,10});?/g, (whole: string, name: string) => {
    const number = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name);
    if (number !== null)
      return letterOf(number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16));
    const char = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
    if (char === undefined || !whole.endsWith(";")) throw new NotInert();
    return char;
  });
}

class SvgReader {
  #position = 0;
  /** Text of the open style element; undefined outside of one. */
  #style: string | undefined;
  /** Names of the open elements, outermost first. */
  readonly #open: string[] = [];
  /** Namespaces by prefix, over the whole text. The empty prefix is for names without one. */
  readonly #namespaces = new Map<string, Set<string>>();
  readonly #elements = new Set<string>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    this.#readProlog();
    while (this.#position < this.#text.length) this.#readNext();
    if (this.#open.length > 0 || this.#elements.size === 0) throw new NotInert();
    for (const [prefix, names] of Map.groupBy(this.#elements, prefixOf)) this.#checkElements(prefix, names);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#position += found.length;
    return found;
  }

  /** Reads the text up to and including `end`. */
  #takeUntil(end: string): string {
    const to = this.#text.indexOf(end, this.#position);
    if (to < 0) throw new NotInert();
    const taken = this.#text.slice(this.#position, to);
    this.#position = to + end.length;
    return taken;
  }

  #startsWith(head: string): boolean {
    if (!this.#text.startsWith(head, this.#position)) return false;
    this.#position += head.length;
    return true;
  }

  #readProlog(): void {
    this.#take(SPACES);
    const declaration = this.#take(DECLARATION);
    // In another encoding, the same bytes would be different text.
    if (declaration?.includes("encoding") && !UTF8.test(declaration)) throw new NotInert();
  }

  #readNext(): void {
    if (this.#text[this.#position] !== "<") this.#readText();
    else if (this.#startsWith("<!--")) this.#takeUntil("-->");
    else if (this.#startsWith("<![CDATA[")) this.#addText(this.#takeUntil("]]>"));
    else if (this.#startsWith("</")) this.#readEnd();
    else if (/^<!doctype svg[\s>]/i.test(this.#text.slice(this.#position, this.#position + 15)))
      this.#readDoctype();
    else {
      this.#position++;
      this.#readStart();
    }
  }

  #readText(): void {
    const next = this.#text.indexOf("<", this.#position);
    const end = next < 0 ? this.#text.length : next;
    this.#addText(decoded(this.#text.slice(this.#position, end)));
    this.#position = end;
  }

  #addText(text: string): void {
    if (this.#open.length === 0 && text.trim() !== "") throw new NotInert();
    if (this.#style !== undefined) this.#style += text;
  }

  /** Reads a document type. It must not contain definitions, because they can represent any text. */
  #readDoctype(): void {
    if (this.#elements.size > 0 || this.#takeUntil(">").includes("[")) throw new NotInert();
  }

  #readEnd(): void {
    const name = this.#take(NAME);
    this.#take(SPACES);
    if (name === undefined || this.#open.pop() !== name || !this.#startsWith(">")) throw new NotInert();
    if (this.#style !== undefined && !isInertCss(this.#style)) throw new NotInert();
    this.#style = undefined;
  }

  #readStart(): void {
    const name = this.#take(NAME);
    const isRoot = this.#open.length === 0;
    // There is one root element, and a style contains no elements.
    if (name === undefined || this.#style !== undefined || (isRoot && this.#elements.size > 0))
      throw new NotInert();
    if (isRoot && localName(name) !== "svg") throw new NotInert();
    this.#elements.add(name);
    this.#readAttributes();
    if (this.#startsWith("/>")) return;
    if (!this.#startsWith(">")) throw new NotInert();
    this.#open.push(name);
    if (localName(name) === "style") this.#style = "";
  }

  #readAttributes(): void {
    while (this.#take(SPACES) !== undefined) {
      const name = this.#take(NAME);
      if (name === undefined) return;
      if (this.#take(EQUALS) === undefined) throw new NotInert();
      const quote = this.#text[this.#position++] ?? "";
      const value = this.#takeUntil(quote);
      if (value.includes("<")) throw new NotInert();
      this.#checkAttribute(name, decoded(value));
    }
  }

  #checkAttribute(name: string, value: string): void {
    if (name === "xmlns" || name.startsWith("xmlns:")) {
      const prefix = name.slice(6);
      const spaces = this.#namespaces.get(prefix) ?? new Set();
      this.#namespaces.set(prefix, spaces.add(value.trim()));
      return;
    }
    const local = localName(name);
    const isBad =
      local.startsWith("on") ||
      FORBIDDEN_ATTRIBUTES.has(local) ||
      (REFERENCES.has(local) && !INNER_REFERENCE.test(value)) ||
      (local === "attributename" && /(?:^|:)\s*(?:href|src|on\w*)\s*$/i.test(value.slice(-64))) ||
      // Browsers skip control characters and spaces within the name of a scheme.
      [...value]
        .filter((char) => char > " ")
        .join("")
        .toLowerCase()
        .includes("javascript:") ||
      !isInertCss(value);
    if (isBad) throw new NotInert();
  }

  /** Checks elements under every namespace of their prefix in the text, so that scopes can be ignored. */
  #checkElements(prefix: string, names: readonly string[]): void {
    const spaces = [...(this.#namespaces.get(prefix) ?? [])];
    if (spaces.some((space) => ACTIVE_NAMESPACE.test(space))) throw new NotInert();
    const isSvg = spaces.length === 0 || spaces.includes(SVG_NAMESPACE) || prefix === "";
    if (isSvg && !names.every((name) => ELEMENTS.has(localName(name)))) throw new NotInert();
  }
}

export function isInertSvg(bytes: Uint8Array): boolean {
  try {
    new SvgReader(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).read();
    return true;
  } catch (error) {
    if (error instanceof NotInert || error instanceof TypeError) return false; // TypeError: invalid UTF-8
    throw error;
  }
}
