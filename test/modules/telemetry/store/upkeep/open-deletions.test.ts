import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { unpackGroup } from "../../../../../src/modules/telemetry/store/hot/hot-packing.ts";
import { scanTask } from "../../../../../src/modules/telemetry/store/query/scan-task.ts";
import { StoreEngine } from "../../../../../src/modules/telemetry/store/store-engine.ts";
import { TelemetryFile } from "../../../../../src/modules/telemetry/store/telemetry-file.ts";
import { checkTask } from "../../../../../src/modules/telemetry/store/upkeep/check-task.ts";
import { deletionTask } from "../../../../../src/modules/telemetry/store/upkeep/deletion-tasks.ts";
import { sealTask } from "../../../../../src/modules/telemetry/store/upkeep/sealing.ts";
import type { Steps } from "../../../../../src/modules/telemetry/store/upkeep/slice-scheduler.ts";
import { deviceId, StoreFixture, tenant } from "../store-fixture.ts";

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await StoreFixture.start();
});
afterEach(() => fixture.dispose());

const deletion = {
  device: 0,
  deviceId: deviceId("d"),
  keys: null,
  from: 2,
  to: 3,
  drop: false,
  tenantId: tenant,
  isRetention: false,
};

function open(): StoreEngine {
  const engine = new StoreEngine({
    file: fixture.file,
    bucketMs: 3_600_000,
    settledMs: 60_000,
    hotPointsMax: 1e6,
    hotPointsPerSeries: 0,
    hotGroupsMax: 1e5,
    hotGroupsPerDevice: 0,
    hotBytesMax: 1e8,
    blockRowsTarget: 64,
    walBytesMax: 1e6,
  });
  engine.recover();
  return engine;
}

function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

function times(engine: StoreEngine): number[] {
  const found: number[] = [];
  for (let from = 0; ; ) {
    const chunk = finish(scanTask(engine, { deviceId: deviceId("d"), keys: [], from, to: 100 }));
    if (chunk === null) return found;
    found.push(...chunk.ts);
    from = chunk.to + 1;
  }
}

/** Four points in a block, and a deletion of two of them that is recorded and has not gone through the blocks. */
async function recorded(): Promise<{ engine: StoreEngine; id: number }> {
  for (let ts = 1; ts <= 4; ts++) await fixture.put("d", "a", ts, ts);
  await fixture.store.compact();
  await fixture.put("d", "a", 5, 5);
  await fixture.store.stop();
  const engine = open();
  const device = engine.registry.byId.get(deviceId("d"))?.no ?? -1;
  const { id } = engine.recordDeletion({ ...deletion, device });
  engine.deletions.add(id, { ...deletion, device });
  return { engine, id };
}

test("a deletion is finished after a crash", async () => {
  const { engine } = await recorded();
  engine.file.close();
  const next = open();
  const [entry, ...others] = next.deletions.entries();
  expect(others).toEqual([]);
  expect(entry?.[1]).toMatchObject({ from: 2, to: 3 });
  finish(deletionTask(next, entry![1], entry![0]));
  expect(times(next)).toEqual([1, 4, 5]);
  next.file.close();
});

test("a sealing finishes the deletions that wait, and nothing of them stays", async () => {
  const { engine, id } = await recorded();
  const [entry] = engine.deletions.entries();
  finish(sealTask(engine));
  expect(engine.deletions.entries()).toEqual([]);
  finish(deletionTask(engine, entry![1], id));
  expect(times(engine)).toEqual([1, 4, 5]);
  expect(finish(checkTask(engine))).toMatchObject({ hotRows: 0, problems: [] });
  engine.file.close();
  const next = open();
  expect(next.deletions.entries()).toEqual([]);
  expect(times(next)).toEqual([1, 4, 5]);
  next.file.close();
});

/** A group as the store sends it to its worker, of one value of the device in `fixture`. */
async function groupOf(ts: number, value: number): Promise<Uint8Array> {
  const other = await StoreFixture.start();
  await other.put("d", "a", ts, value);
  await other.store.stop();
  const file = new TelemetryFile(other.file, { isReadOnly: true });
  const [row] = [...file.log.all()];
  file.close();
  await other.dispose();
  return unpackGroup(row!.form, row!.data);
}

test("a value that arrives after a deletion stays, though it is sealed before the deletion had its turn", async () => {
  const { engine } = await recorded();
  const [[id, entry] = []] = engine.deletions.entries();
  engine.index(engine.append(await groupOf(2, 20), null));
  finish(sealTask(engine));
  finish(deletionTask(engine, entry!, id!));
  expect(times(engine)).toEqual([1, 2, 4, 5]);
  engine.file.close();
  const next = open();
  expect(times(next)).toEqual([1, 2, 4, 5]);
  next.file.close();
});

test("what arrives after a deletion that is done stays, also after a crash", async () => {
  const { engine, id } = await recorded();
  finish(deletionTask(engine, engine.deletions.entries()[0]![1], id));
  finish(sealTask(engine));
  engine.file.close();
  await fixture.store.start();
  await fixture.put("d", "a", 2, 20);
  await fixture.store.compact();
  expect(await fixture.points("d", "a")).toEqual([
    [1, 1],
    [2, 20],
    [4, 4],
    [5, 5],
  ]);
});

/** Lets reads of blocks fail in SQLite, as on a disk that is away for a moment, while `isAway`. Must be called before the engine is opened. */
function failingDisk() {
  const disk = { isAway: false, end: () => spy.mockRestore() };
  const prepare = TelemetryFile.prototype.prepare;
  const spy = spyOn(TelemetryFile.prototype, "prepare").mockImplementation(function (
    this: TelemetryFile,
    sql: string,
  ) {
    const statement = prepare.call(this, sql);
    const get = statement.get.bind(statement);
    if (sql.startsWith("SELECT data FROM body"))
      statement.get = (...params) =>
        disk.isAway
          ? new Database(":memory:").query("SELECT abs(-9223372036854775808)").get() // throws
          : get(...params);
    return statement;
  } as typeof prepare);
  return disk;
}

test("a block that cannot be read for a moment is neither set aside by a sealing nor left out by a deletion", async () => {
  const disk = failingDisk();
  const { engine, id } = await recorded();
  engine.index(engine.append(await groupOf(3, 30), null));
  disk.isAway = true;
  expect(() => finish(deletionTask(engine, engine.deletions.entries()[0]![1], id))).toThrow("tried again");
  expect(() => finish(sealTask(engine))).toThrow("tried again");
  disk.isAway = false;
  finish(sealTask(engine));
  expect(times(engine)).toEqual([1, 3, 4, 5]);
  expect(engine.deletions.entries()).toEqual([]);
  engine.file.close();
  disk.end();
});

test("a sealing that cannot wait sets an unreadable block aside, and the check names it", async () => {
  const disk = failingDisk();
  const { engine, id } = await recorded();
  finish(deletionTask(engine, engine.deletions.entries()[0]![1], id));
  engine.index(engine.append(await groupOf(3, 30), null));
  disk.isAway = true;
  expect(() => finish(sealTask(engine))).toThrow("tried again");
  expect(times(engine)).toEqual([3, 5]);
  Object.defineProperty(engine, "isBehind", { value: true });
  finish(sealTask(engine));
  disk.isAway = false;
  expect(times(engine)).toEqual([3, 5]);
  expect(finish(checkTask({ file: engine.file, blocks: engine.blocks })).problems).toEqual([
    expect.stringContaining("put aside"),
  ]);
  engine.file.close();
  disk.end();
});
