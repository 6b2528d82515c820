/** Inline text. */
export type Inline =
  | { readonly kind: "text" | "strong" | "em" | "code"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

export type Block =
  | { readonly kind: "heading"; readonly level: 1 | 2 | 3; readonly content: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly content: readonly Inline[] }
  | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string };

/** Pattern with bounded parts, because an unterminated mark must not cause repeated scans of the rest. */
const INLINE =
  /(`[^`]{1,1000}`)|(\*\*[^*]{1,1000}\*\*)|(\*[^*]{1,1000}\*)|\[([^\][]{0,500})\]\(([^()\s]{1,2000})\)/g;
const SOURCE_MAX = 50_000;

/** Returns whether a link leads to a page, never to a script. */
const isSafe = (href: string) => /^(https?:\/\/|mailto:|\/(?!\/)|#)/i.test(href);

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, em, label, href] = match;
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    end = match.index + whole.length;
    if (code !== undefined) parts.push({ kind: "code", text: code.slice(1, -1) });
    else if (strong !== undefined) parts.push({ kind: "strong", text: strong.slice(2, -2) });
    else if (em !== undefined) parts.push({ kind: "em", text: em.slice(1, -1) });
    else if (href !== undefined && isSafe(href)) parts.push({ kind: "link", text: label || href, href });
    else parts.push({ kind: "text", text: whole });
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}

const BULLET = /^\s*[-*+]\s+/;
const NUMBERED = /^\s*\d+[.)]\s+/;

/** Lines of a text, read in sequence. */
class Lines {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#lines = source.replaceAll("\r\n", "\n").split("\n");
  }

  get now(): string | undefined {
    return this.#lines[this.#at];
  }

  skip(): void {
    this.#at++;
  }

  take(isPart: (line: string) => boolean): string[] {
    const from = this.#at;
    while (this.now !== undefined && isPart(this.now)) this.#at++;
    return this.#lines.slice(from, this.#at);
  }
}

const HEADING_LINE = /^(#{1,3})\s+(.*)$/;
const isFence = (line: string) => line.startsWith("```");
const isItem = (line: string) => BULLET.test(line) || NUMBERED.test(line);
const isText = (line: string) =>
  line.trim() !== "" && !HEADING_LINE.test(line) && !isFence(line) && !BULLET.test(line);

function takeBlock(lines: Lines, line: string): Block {
  const heading = HEADING_LINE.exec(line);
  if (heading) {
    lines.skip();
    const level = (heading[1]?.length ?? 1) as 1 | 2 | 3; // one to three of them were matched
    return { kind: "heading", level, content: parseInline(heading[2] ?? "") };
  }
  if (isFence(line)) {
    lines.skip();
    const text = lines.take((item) => !isFence(item)).join("\n");
    lines.skip();
    return { kind: "code", text };
  }
  if (isItem(line)) {
    const marker = BULLET.test(line) ? BULLET : NUMBERED;
    const items = lines
      .take((text) => marker.test(text))
      .map((text) => parseInline(text.replace(marker, "")));
    return { kind: "list", ordered: marker === NUMBERED, items };
  }
  return { kind: "paragraph", content: parseInline(lines.take(isText).join(" ")) };
}

/** Parses the part of Markdown (CommonMark) that notes on a wall need: headings, paragraphs, lists, code, links. */
export function parseMarkdown(source: string): Block[] {
  const blocks: Block[] = [];
  const lines = new Lines(source.slice(0, SOURCE_MAX));
  for (let line = lines.now; line !== undefined; line = lines.now)
    if (line.trim() === "") lines.skip();
    else blocks.push(takeBlock(lines, line));
  return blocks;
}
