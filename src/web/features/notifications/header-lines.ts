/** Headers as lines of a text field; what is kept and not shown stands as dots. */
export const KEPT = "••••••";

export const linesOf = (headers: Readonly<Record<string, string | null>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value ?? KEPT}`)
    .join("\n");

/** Returns `undefined` if a line is none. */
export function headersOf(text: string): Record<string, string | null> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries: Array<[string, string | null]> = [];
  for (const line of lines) {
    const index = line.indexOf(":");
    const name = line.slice(0, Math.max(index, 0)).trim();
    if (name === "") return undefined;
    const value = line.slice(index + 1).trim();
    entries.push([name, value === KEPT ? null : value]);
  }
  return Object.fromEntries(entries);
}
