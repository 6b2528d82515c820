import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "../../../../../src/lib/data/random.ts";
import { FORM_RAW, HotLog } from "../../../../../src/modules/telemetry/store/hot/hot-log.ts";
import { LogSyncer, SyncFailed } from "../../../../../src/modules/telemetry/store/hot/log-syncer.ts";
import { until } from "../../../../support/until.ts";

const NOTHING_SEALED = { id: 0, values: 0, time: undefined };
let directory: string;
let log: HotLog;
let syncer: LogSyncer;
/** What those who waited were answered, in order: the id, or the code of an error. */
let responses: unknown[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-sync-"));
  log = new HotLog(join(directory, "telemetry.db"), { isReadOnly: false, sealed: NOTHING_SEALED });
  // Every sync counts as slow.
  syncer = new LogSyncer(log, { slowMs: 0 });
  responses = [];
});
afterEach(() => {
  syncer.stop();
  rmSync(directory, { recursive: true, force: true });
});

function put(): number {
  const id = log.append({ form: FORM_RAW, data: new Uint8Array(500), values: 1 });
  syncer.sync(id, (error) => responses.push(error === null ? id : error.code));
  return id;
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Starts all threads; everything that was put until then is answered. */
async function startThreads(): Promise<void> {
  let last = 0;
  await until(() => {
    last = put();
    return syncer.lanes === 16;
  });
  await until(() => log.lastId === last);
}

test("syncs in place until the first thread is ready, and does not wait for the others to start", async () => {
  for (let round = 0; round < 30; round++) put();
  expect([responses, syncer.lanes]).toEqual([upTo(30), 1]);
  await startThreads();
  expect(responses).toEqual(upTo(responses.length));
});

test("a fast disk is synced in place", () => {
  const fast = new LogSyncer(log, { slowMs: 60_000 });
  for (let round = 0; round < 50; round++) {
    const id = log.append({ form: FORM_RAW, data: new Uint8Array(500), values: 1 });
    fast.sync(id, () => responses.push(id));
  }
  expect([responses, fast.lanes, log.lastId]).toEqual([upTo(50), 1, 50]);
});

test("on a slow disk those who wait are answered in order, whatever thread is done first", async () => {
  await startThreads();
  const random = createRandom(1);
  let last = log.lastId;
  for (let round = 0; round < 300; round++) {
    last = put();
    if (random() < 0.05) syncer.after(() => responses.push("after"));
    if (random() < 0.1) await until(() => log.lastId >= last - 3);
    if (random() < 0.05) syncer.flush();
    if (random() < 0.05) {
      syncer.flush();
      log.beginFile();
    }
    expect(log.lastId).toBeLessThanOrEqual(last);
  }
  await until(() => log.lastId === last);
  expect(responses.filter((entry) => entry !== "after")).toEqual(upTo(last));
});

test("a flush answers all who wait, and what threads answer afterwards changes nothing", async () => {
  await startThreads();
  for (let round = 0; round < 20; round++) put();
  const last = put();
  syncer.flush();
  expect([responses, log.lastId]).toEqual([upTo(last), last]);
  put();
  await until(() => responses.length === last + 1);
  expect(responses).toEqual(upTo(last + 1));
});

test("a sync that fails fails for all who wait and for all who come later, and is reported once", async () => {
  await startThreads();
  const failures: unknown[] = [];
  syncer.onFailed = ({ code }) => failures.push(code);
  syncer.flush();
  const before = responses.length;
  log.beginFile();
  const id = log.append({ form: FORM_RAW, data: new Uint8Array(500), values: 1 });
  // It can be opened, and the system refuses to sync it.
  Object.defineProperty(log, "newestPath", { value: "/proc/self/comm" });
  const note = (error: SyncFailed | null) => responses.push(error?.code);
  syncer.sync(id, note);
  syncer.sync(id, note);
  await until(() => responses.length === before + 2);
  syncer.sync(id, note);
  expect(responses.slice(before)).toEqual(["EINVAL", "EINVAL", "EINVAL"]);
  expect(failures).toEqual(["EINVAL"]);
  expect(() => syncer.flush()).toThrow(SyncFailed);
});

test("a thread that cannot open the log leaves the syncs to be done in place", async () => {
  await startThreads();
  const failures: unknown[] = [];
  syncer.onFailed = ({ code }) => failures.push(code);
  syncer.flush();
  const before = responses.length;
  log.beginFile();
  const id = log.append({ form: FORM_RAW, data: new Uint8Array(500), values: 1 });
  rmSync(log.newestPath ?? "");
  syncer.sync(id, (error) => responses.push(error ?? id));
  await until(() => responses.length === before + 1);
  expect([responses.at(-1), failures, syncer.lanes]).toEqual([id, [], 1]);
  const next = put();
  expect(responses.at(-1)).toBe(next);
});

test("a sync that finds the disk full is a failed sync as any other", () => {
  class FullLog extends HotLog {
    override sync(): void {
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    }
  }
  const full = new FullLog(join(directory, "full.db"), { isReadOnly: false, sealed: NOTHING_SEALED });
  const other = new LogSyncer(full);
  other.sync(full.append({ form: FORM_RAW, data: new Uint8Array(5), values: 1 }), (error) =>
    responses.push(error),
  );
  expect(responses).toEqual([expect.any(SyncFailed)]);
  full.close();
});
