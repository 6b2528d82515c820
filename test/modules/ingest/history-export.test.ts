import { expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { renderHistory } from "../../../src/modules/ingest/history.service.ts";
import type { ScanChunk } from "../../../src/modules/telemetry/store/store.types.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";

const deviceId = "d" as DeviceId; // any text is an id here
const ROWS = 30_000;
const T0 = Date.UTC(2026, 0, 1);
const rows = Array.from(
  { length: ROWS },
  (_, row): Record<string, TelemetryValue> => ({
    n: row / 8 - 1_000,
    ...(row % 3 === 0 && { text: `=${row}, "ä"` }),
    ...(row % 5 === 0 && { on: row % 2 === 0 }),
  }),
);

async function* chunks(): AsyncGenerator<ScanChunk> {
  for (let first = 0; first < ROWS; first += ROWS / 2)
    yield {
      deviceId,
      ts: Float64Array.from({ length: ROWS / 2 }, (_, row) => T0 + first + row),
      columns: ["n", "text", "on"].map((key) => ({ key, at: (row: number) => rows[first + row]?.[key] })),
      position: { deviceId, ts: first },
    };
}

async function render(format: "ndjson" | "csv"): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of renderHistory(chunks(), { format, keys: ["n", "text", "on"] }))
    pieces.push(piece);
  expect(pieces.length).toBeGreaterThan(3);
  return Buffer.concat(pieces).toString();
}

test("pieces of NDJSON hold what JSON.stringify writes, also when the next ones have been made", async () => {
  const expected = rows.map((values, row) => `${JSON.stringify({ ts: T0 + row, values })}\n`).join("");
  expect((await render("ndjson")) === expected).toBe(true);
});

test("pieces of CSV hold a line for each row", async () => {
  const lines = rows.map(({ n, text, on }, row) => {
    const cell = text === undefined ? "" : `"'${String(text).replaceAll('"', '""')}"`;
    return `${new Date(T0 + row).toISOString()},${n},${cell},${on ?? ""}\r\n`;
  });
  expect((await render("csv")) === `ts,n,text,on\r\n${lines.join("")}`).toBe(true);
});

test("a piece ends with the row that fills it, however long its texts are", async () => {
  const long = "x".repeat(60_000);
  async function* longChunks(): AsyncGenerator<ScanChunk> {
    const ts = Float64Array.from({ length: 50 }, (_, row) => T0 + row);
    yield { deviceId, ts, columns: [{ key: "text", at: () => long }], position: { deviceId, ts: T0 } };
  }
  for (const format of ["csv", "ndjson"] as const) {
    const sizes: number[] = [];
    for await (const piece of renderHistory(longChunks(), { format, keys: ["text"] }))
      sizes.push(piece.length);
    expect(Math.max(...sizes)).toBeLessThan(256 * 1024 + 61_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(50 * long.length);
  }
});
