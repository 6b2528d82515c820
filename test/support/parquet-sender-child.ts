// Sends batches to a folder of Parquet files until it is killed: `bun parquet-sender-child.ts FOLDER FIRST LAST`. Prints the number of each
// batch that was confirmed.
import { createParquetTarget } from "../../src/modules/uplinks/targets/parquet/parquet.target.ts";
import { batchOf, contextOf, deviceOf, neverAborted, rowsOf } from "./uplink-batches.ts";

const [, , path = "", first = "0", last = "0"] = process.argv;
const ROWS = 100;
const target = createParquetTarget(
  {
    type: "PARQUET",
    place: { kind: "FOLDER", path },
    partition: "HOUR",
    rowsPerFile: 1_000,
    timeoutMs: 10_000,
    tls: null,
  },
  contextOf(),
);
const start = Date.parse("2026-03-02T03:59:00Z");
for (let number = Number(first); number <= Number(last); number++) {
  const ts = Array.from({ length: ROWS }, (_, row) => start + (number * ROWS + row) * 50);
  const values = ts.map((_, row) => number * ROWS + row);
  await target.send(batchOf(`batch-${number}`, rowsOf(deviceOf(), ts, { a: values })), neverAborted());
  process.stdout.write(`${number}\n`);
}
await target.close();
