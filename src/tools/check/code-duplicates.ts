import ts from "typescript";

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

/** Counts the blocks of one file with repeated windows, and their lines. */
function countInFile(
  isRepeated: readonly boolean[],
  lineOf: readonly number[],
): { blocks: number; lines: number } {
  const lines = new Set<number>();
  let blocks = 0;
  let end = -1;
  for (const [position, repeated] of isRepeated.entries()) {
    if (!repeated) continue;
    if (position > end) blocks++;
    end = position + WINDOW_TOKENS;
    for (const line of lineOf.slice(position, end)) lines.add(line);
  }
  return { blocks, lines: lines.size };
}

/** Counts the occurrences of repeated blocks of equal code in the files, and their lines. */
export function countDuplicates(files: readonly ts.SourceFile[]): { blocks: number; lines: number } {
  const numbers = new Map<string, number>();
  const tokens = files.map((file) => tokensOf(file, numbers));
  // With three of its tokens, different windows with the same hash are unlikely.
  const keys = tokens.map(({ ids }) =>
    windowHashes(ids).map(
      (hash, index) => `${hash} ${ids[index]} ${ids[index + 30]} ${ids[index + WINDOW_TOKENS - 1]}`,
    ),
  );
  /** Occurrences by window. */
  const counts = new Map<string, number>();
  for (const key of keys.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  const found = tokens.map(({ lines }, file) =>
    countInFile(
      (keys[file] ?? []).map((key) => (counts.get(key) ?? 0) > 1),
      lines,
    ),
  );
  return {
    blocks: found.reduce((sum, { blocks }) => sum + blocks, 0),
    lines: found.reduce((sum, { lines }) => sum + lines, 0),
  };
}
