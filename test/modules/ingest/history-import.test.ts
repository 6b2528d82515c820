import { expect, test } from "bun:test";
import { invalid } from "../../../src/lib/core/domain-error.ts";
import type { HistoryFormat } from "../../../src/lib/csv/history-format.ts";
import { type ImportTarget, runImport } from "../../../src/modules/ingest/history-import.ts";

/** Returns the number of turns of the event loop, before the target is given a row and until the end, while a body of one piece was imported. */
async function countLoops(
  text: string,
  { skipRows = 0, rowMs = 0, format = "csv" }: { skipRows?: number; rowMs?: number; format?: HistoryFormat },
): Promise<{ all: number; first: number }> {
  let count = 0;
  let first: number | undefined;
  let timer = setImmediate(function next() {
    count++;
    timer = setImmediate(next);
  });
  const refuse = () => {
    first ??= count;
    if (rowMs > 0) Bun.sleepSync(rowMs);
    throw invalid("telemetry.too_many_keys", { max: 512 });
  };
  const target: ImportTarget = {
    decode: refuse,
    now: 1_800_000_000_000,
    store: () => Promise.resolve(),
  };
  const body = new Blob([text]).stream();
  const progress = runImport({ body, format, skipRows }, target);
  while ((await progress.next()).done !== true);
  clearImmediate(timer);
  return { all: count, first: first ?? 0 };
}

test("the event loop runs on while rows are skipped", async () => {
  const text = `ts;a\n${"1790000000000;1\n".repeat(200_000)}`;
  const { all } = await countLoops(text, { skipRows: 300_000 });
  expect(all).toBeGreaterThanOrEqual(text.length / 20_000);
});

test("the event loop runs on between refused rows that take long", async () => {
  const text = '{"ts":1790000000000,"a":1}\n'.repeat(60);
  const { all, first } = await countLoops(text, { rowMs: 2, format: "ndjson" });
  expect(all - first).toBeGreaterThanOrEqual(4);
});

test("a line of very many objects is one row, which is refused before it is parsed", async () => {
  const lines = [`[${"{},".repeat(300_000)}{}]`, '{"ts":1790000000000,"values":{"a":1}}'];
  const stored: unknown[] = [];
  const progress = runImport(
    { body: new Blob([lines.join("\n")]).stream(), format: "ndjson", skipRows: 0 },
    {
      decode: () => [{ ts: 1_790_000_000_000, values: { a: 1 } }],
      now: 1_800_000_000_000,
      store: async (readings) => void stored.push(...readings),
    },
  );
  let step = await progress.next();
  while (step.done !== true) step = await progress.next();
  expect(step.value).toMatchObject({
    rows: 2,
    failed: 1,
    errors: [{ row: 1, code: "body.too_many_objects" }],
  });
  expect(stored).toHaveLength(1);
});
