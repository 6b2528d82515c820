import { DomainError } from "../../../src/lib/core/domain-error.ts";
import { type CsvOptions, csvHistory, type HistoryRow, noNotes } from "../../../src/lib/csv/history-rows.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export async function read(file: string | Uint8Array, csv: CsvOptions = {}, size = 1_000_000) {
  const bytes = typeof file === "string" ? new TextEncoder().encode(file) : file;
  const notes = noNotes();
  const rows: HistoryRow[] = [];
  const context = { now: NOW, canHoldNumbers: () => true, notes };
  for await (const group of csvHistory(inPieces(bytes, size), csv, context)) rows.push(...group);
  return { rows, notes };
}

/** The rows as `time {values}`, or the code of the reason; the code of the error if the file is refused. */
export async function shown(
  file: string | Uint8Array,
  csv: CsvOptions = {},
  size?: number,
): Promise<string[]> {
  try {
    const { rows } = await read(file, csv, size);
    return rows.map((row) =>
      "error" in row
        ? codesOf(row.error.code, row.error.params.reason ?? row.error.params.rule)
        : `${new Date(row.ts).toISOString().replace(".000Z", "Z")} ${JSON.stringify(row.values)}`,
    );
  } catch (error) {
    if (error instanceof DomainError) return [error.code];
    throw error;
  }
}

const codesOf = (code: string, inner: unknown): string =>
  typeof inner === "object" && inner !== null && "code" in inner ? `${code}: ${inner.code}` : code;

export const utf16 = (text: string, isBig: boolean) => {
  const buffer = Buffer.from(`\ufeff${text}`, "utf16le");
  return isBig ? buffer.swap16() : buffer;
};
