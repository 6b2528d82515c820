import { join } from "node:path";
import ts from "typescript";
import { parseFiles } from "./source-files.ts";

/** Min. consecutive equal tokens: about eight lines of code. Shorter repetitions are usual (calls, conditions). */
const WINDOW_TOKENS = 60;

interface Tokens {
  /** Number of each token, in the order of the file. */
  readonly ids: readonly number[];
  /** Line of each token. */
  readonly lines: readonly number[];
}

/** Reads the tokens of a file without comments, white space and imports. */
function tokensOf(file: ts.SourceFile, numbers: Map<string, number>): Tokens {
  const ids: number[] = [];
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || node.kind === ts.SyntaxKind.EndOfFileToken || ts.isJSDoc(node))
      return;
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    const text = children.length > 0 ? "" : node.getText(file);
    if (text === "") return;
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    ids.push(numbers.get(text) ?? 0);
    lines.push(file.getLineAndCharacterOfPosition(node.getStart(file)).line);
  };
  visit(file);
  return { ids, lines };
}

/** Returns a hash of every window of tokens, by its first token. */
function windowHashes(ids: readonly number[]): number[] {
  const FACTOR = 0x01000193;
  let power = 1;
  for (let i = 0; i < WINDOW_TOKENS; i++) power = Math.imul(power, FACTOR);
  let hash = 0;
  const hashes: number[] = [];
  ids.forEach((id, position) => {
    hash = (Math.imul(hash, FACTOR) + id + 1) | 0;
    if (position >= WINDOW_TOKENS)
      hash = (hash - Math.imul(power, (ids[position - WINDOW_TOKENS] ?? 0) + 1)) | 0;
    if (position >= WINDOW_TOKENS - 1) hashes.push(hash);
  });
  return hashes;
}

/** Repeated block of code: its file, its lines (from 1), and the first other place with the same code. */
export interface Duplicate {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly other: string;
}

interface Window {
  readonly path: string;
  readonly line: number;
}

/** Returns every occurrence of code that stands in the files more than once, the blocks of a file in order. */
export function findDuplicates(
  files: ReadonlyArray<{ readonly path: string; readonly ast: ts.SourceFile }>,
): Duplicate[] {
  const numbers = new Map<string, number>();
  /** Places of each window. */
  const places = new Map<string, Window[]>();
  const parsed = files.map(({ path, ast }) => {
    const { ids, lines } = tokensOf(ast, numbers);
    // With three of its tokens, different windows with the same hash are unlikely.
    const keys = windowHashes(ids).map(
      (hash, index) => `${hash} ${ids[index]} ${ids[index + 30]} ${ids[index + WINDOW_TOKENS - 1]}`,
    );
    for (const [index, key] of keys.entries()) {
      const place = { path, line: (lines[index] ?? 0) + 1 };
      places.set(key, [...(places.get(key) ?? []), place]);
    }
    return { path, lines, keys };
  });
  return parsed.flatMap(({ path, lines, keys }) => {
    const found: Array<Duplicate & { last: number }> = [];
    let end = -1;
    for (const [index, key] of keys.entries()) {
      const all = places.get(key) ?? [];
      if (all.length < 2) continue;
      const first = (lines[index] ?? 0) + 1;
      const last = (lines[index + WINDOW_TOKENS - 1] ?? 0) + 1;
      const block = found.at(-1);
      if (block !== undefined && index <= end) block.last = last;
      else {
        const other = all.find((place) => place.path !== path || place.line !== first) ?? all[1];
        found.push({ path, first, last, other: `${other?.path}:${other?.line}` });
      }
      end = index + WINDOW_TOKENS;
    }
    return found;
  });
}

/** Files whose blocks repeat each other on purpose. */
const REPEATED_ON_PURPOSE: Readonly<Record<string, string>> = {
  "src/modules/telemetry/store/codec/number-parts.ts":
    "a loop of its own for each kind of typed array, so that the compiled loop handles one kind",
};

/** `bun src/tools/check/code-duplicates.ts`: fails if code stands in the program twice. */
if (import.meta.main) {
  const found = findDuplicates(parseFiles(join(import.meta.dir, "..", "..", ".."), "src"));
  const wrong = found.filter(({ path }) => REPEATED_ON_PURPOSE[path] === undefined);
  for (const { path, first, last, other } of wrong)
    console.log(`${path}:${first}-${last} has the code of ${other}; write it once`);
  const unused = Object.keys(REPEATED_ON_PURPOSE).filter((file) => !found.some(({ path }) => path === file));
  for (const file of unused) console.log(`${file} repeats nothing and needs no exception`);
  process.exit(wrong.length + unused.length === 0 ? 0 : 1);
}
