import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ThreadedFolder } from "../../../../../src/modules/uplinks/targets/parquet/threaded-folder.ts";

const { signal } = new AbortController();
const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

test("the folder of an uplink is accessed by another thread", async () => {
  const root = mkdtempSync(join(tmpdir(), "uplink-"));
  const folder = new ThreadedFolder(root, "one");
  try {
    await folder.write("events/a.parquet", new Uint8Array([1, 2, 3]), signal);
    expect([...readFileSync(join(root, "events/a.parquet"))]).toEqual([1, 2, 3]);
    expect(folder.bytesSent).toBe(3);
    expect(await folder.list("events/", signal)).toEqual(["events/a.parquet"]);
    expect(await folder.has("events/b.parquet", signal)).toBe(false);
    expect([...(await folder.read("events/a.parquet", signal))]).toEqual([1, 2, 3]);
    await folder.remove("events/a.parquet", signal);
    expect(await folder.list("", signal)).toEqual([]);
    const missing = new ThreadedFolder(join(root, "missing"), "two");
    expect(await failureOf(missing.list("", signal))).toMatchObject({
      reaction: "retry",
      code: "backup.folder_missing",
    });
    missing.close();
  } finally {
    folder.close();
  }
});

test("a call of a folder ends with its signal, whatever the disk does", async () => {
  const folder = new ThreadedFolder(mkdtempSync(join(tmpdir(), "uplink-")), "three");
  const controller = new AbortController();
  await folder.list("", signal);
  const listed = failureOf(folder.list("", controller.signal));
  controller.abort(new Error("stopped"));
  expect(await listed).toEqual(new Error("stopped"));
  folder.close();
});
