const DISTANCE_MAX = 3;

/** Returns the Levenshtein distance: the number of inserted, deleted or replaced letters. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Returns the nearest name; undefined if none is near. */
export function suggest(name: string, names: readonly string[]): string | undefined {
  const limit = Math.min(DISTANCE_MAX, Math.floor(name.length / 3));
  const [nearest] = names
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest !== undefined && nearest.distance <= limit ? nearest.candidate : undefined;
}
