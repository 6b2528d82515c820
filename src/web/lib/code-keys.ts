/** An edit that a key of a code editor makes. It is pure, so that the browser's own undo can revert it. */

export interface Edit {
  /** The part that is replaced. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Selection after the edit. */
  readonly select: readonly [from: number, to: number];
}

const INDENT = "  ";

const startOfLine = (text: string, position: number): number => text.lastIndexOf("\n", position - 1) + 1;

/** Enter: same indentation as the line before, and one step more after an opening bracket. */
export function newLine(text: string, from: number, to: number): Edit {
  const line = text.slice(startOfLine(text, from), from);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  const opens = /[{([]\s*$/.test(line);
  const closes = opens && /^\s*[})\]]/.test(text.slice(to));
  const inserted = `\n${indent}${opens ? INDENT : ""}`;
  const position = from + inserted.length;
  return { from, to, text: closes ? `${inserted}\n${indent}` : inserted, select: [position, position] };
}

/** Tab: one step of indentation, for all lines of a selection of several. Shift+Tab: one step back. */
export function indent(text: string, from: number, to: number, isBack: boolean): Edit {
  if (!isBack && !text.slice(from, to).includes("\n"))
    return { from, to, text: INDENT, select: [from + INDENT.length, from + INDENT.length] };
  const start = startOfLine(text, from);
  const lines = text.slice(start, to).split("\n");
  const changed = lines.map((line) => (isBack ? line.replace(/^(\t| {1,2})/, "") : line && INDENT + line));
  const joined = changed.join("\n");
  const first = (changed[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  const selectedFrom = Math.max(start, from + first);
  return { from: start, to, text: joined, select: [selectedFrom, start + joined.length] };
}
