import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Renews the numbers of lines in `docs/decisions/hand-written-parts.md`. A row names files, folders or patterns below `src` in brackets; one with "part of" before them keeps its number. */

const root = join(import.meta.dir, "..", "..", "..");
export const handWrittenPartsFile = join(root, "docs", "decisions", "hand-written-parts.md");

const ROW = /^\| [^|]*\((?<part>`[^|)]*)\) \| (?<lines>[\d,]+) \|/;
const SIGNIFICANT_DIGITS = 2;

const linesOf = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;

function filesOf(pattern: string): string[] {
  const path = join(root, "src", pattern);
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  const glob = new Bun.Glob(isFolder ? `${pattern.replace(/\/$/, "")}/**/*.{ts,tsx}` : pattern);
  return [...glob.scanSync(join(root, "src"))];
}

/** @throws Error for a path that is not there */
function countPart(part: string): number {
  const files = new Set<string>();
  for (const [, pattern = ""] of part.matchAll(/`([^`]+)`/g)) {
    const found = filesOf(pattern);
    if (found.length === 0) throw new Error(`hand-written-parts.md names src/${pattern}, which is not there`);
    for (const file of found) files.add(file);
  }
  return [...files].reduce((sum, file) => sum + linesOf(join(root, "src", file)), 0);
}

const rounded = (count: number): string => Number(count.toPrecision(SIGNIFICANT_DIGITS)).toLocaleString("en");

export function renderHandWrittenParts(): string {
  const lines = readFileSync(handWrittenPartsFile, "utf8").split("\n");
  const replaced = lines.indexOf("## Replaced");
  return lines
    .map((line, index) => {
      const { part, lines: before } = ROW.exec(line)?.groups ?? {};
      if (part === undefined || before === undefined || index > replaced) return line;
      return line.replace(`| ${before} |`, `| ${rounded(countPart(part))} |`);
    })
    .join("\n");
}
