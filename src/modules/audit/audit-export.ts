import { csvCell } from "../../lib/csv-cell.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditEntry } from "./audit.types.ts";

const columns = [
  "at",
  "outcome",
  "action",
  "actorType",
  "actorName",
  "actorId",
  "impersonatorName",
  "targetType",
  "targetName",
  "targetId",
  "address",
  "userAgent",
  "before",
  "after",
] as const satisfies ReadonlyArray<keyof AuditEntry>;

const cell = (value: string | number | null): string => (value === null ? "" : csvCell(String(value)));

/** An entry as people get it: without what is not set, and what changed as JSON again. */
export function toWire({
  sequence: _,
  tenantId: __,
  share: ___,
  holder: ____,
  at,
  before,
  after,
  ...entry
}: AuditEntry) {
  const set = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
  return {
    ...(set as { [K in keyof typeof entry]: Exclude<(typeof entry)[K], null> }), // without its nulls
    at: iso(at),
    ...(before !== null && { before: JSON.parse(before) as unknown }),
    ...(after !== null && { after: JSON.parse(after) as unknown }),
  };
}

/** Pages of entries as text. */
export async function* renderAudit(
  pages: AsyncIterable<AuditEntry[]>,
  format: "csv" | "ndjson",
): AsyncGenerator<string> {
  if (format === "csv") yield `${columns.join(",")}\r\n`;
  for await (const page of pages) {
    const lines = page.map((entry) =>
      format === "csv"
        ? `${columns.map((column) => cell(column === "at" ? iso(entry.at) : entry[column])).join(",")}\r\n`
        : `${JSON.stringify(toWire(entry))}\n`,
    );
    yield lines.join("");
  }
}
