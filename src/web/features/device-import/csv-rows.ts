const DELIMITERS = [",", ";", "\t"] as const;

export interface CsvTable {
  readonly columns: readonly string[];
  /** Rows with at least one filled cell, numbered from 1 like by the gateway. */
  readonly rows: readonly (readonly string[])[];
}

/** Decodes UTF-8, or the usual encoding of spreadsheets on Windows, like the gateway. */
export function decodeCsv(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/^\uFEFF/, "");
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function delimiterOf(text: string): string {
  const header = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0].replace(/"(?:[^"]|"")*"/g, "") ?? "";
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Returns the index after the cell at `start`, and its text. */
function readCell(text: string, start: number, delimiter: string): { cell: string; end: number } {
  let index = start;
  while (text[index] === " ") index++;
  if (text[index] !== '"') {
    while (index < text.length && text[index] !== delimiter && text[index] !== "\n" && text[index] !== "\r")
      index++;
    return { cell: text.slice(start, index).trim(), end: index };
  }
  let cell = "";
  for (index++; index < text.length; index++) {
    if (text[index] !== '"') cell += text[index];
    else if (text[index + 1] === '"') cell += text[index++];
    else break;
  }
  for (
    index++;
    index < text.length && text[index] !== delimiter && text[index] !== "\n" && text[index] !== "\r";
  )
    index++;
  return { cell, end: Math.min(index, text.length) };
}

/** Parses a file for a preview. The gateway decides how it is parsed. */
export function parseCsvTable(text: string): CsvTable {
  const delimiter = delimiterOf(text);
  const lines: string[][] = [];
  let line: string[] = [];
  for (let index = 0; index < text.length; ) {
    const { cell, end } = readCell(text, index, delimiter);
    line.push(cell);
    if (text[end] === delimiter) {
      index = end + 1;
      if (index === text.length) line.push("");
      continue;
    }
    lines.push(line);
    line = [];
    index = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
  }
  if (line.length > 0) lines.push(line);
  const [columns = [], ...rows] = lines.filter((cells) => cells.some((cell) => cell !== ""));
  return { columns, rows };
}
