import { afterAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detail } from "../../../src/lib/core/domain-error.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { beginInventory } from "../../../src/platform/files/inventory.ts";
import { InventoryKeeper } from "../../../src/platform/files/inventory-keeper.ts";
import { readRecord } from "../../../src/platform/files/inventory-record.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const data = mkdtempSync(join(tmpdir(), "lineside-inventory-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const HOUR_MS = 3_600_000;
const HOURS_OF_MONTH = 720;

/** A keeper of the inventory in a directory, and the record that it begins with: that of `data`. */
function openKeeper(clock: FakeClock, dataPath = data) {
  const record = readRecord(data);
  if (record == null) throw new Error("there is no inventory");
  const log = createLogger("test");
  return { record, keeper: new InventoryKeeper({ dataPath, record, warnings: [], clock, log }) };
}

test("a check of all files is due after every start but the first, and every month", async () => {
  beginInventory(data);
  const dues: boolean[] = [];
  for (const stop of ["in order", "killed", "in order"]) {
    const { keeper } = openKeeper(new FakeClock());
    keeper.begin();
    keeper.start();
    dues.push(keeper.isCheckDue);
    await keeper.advance();
    await keeper.noteCheck();
    dues.push(keeper.isCheckDue);
    if (stop === "in order") await keeper.stop();
  }
  expect(dues).toEqual([false, false, true, false, true, false]);
});

test("hours without a check add up", async () => {
  const clock = new FakeClock();
  const { keeper } = openKeeper(clock);
  keeper.begin();
  keeper.start();
  await keeper.advance();
  await keeper.noteCheck();
  for (let hour = 0; hour < HOURS_OF_MONTH; hour++) {
    expect(keeper.isCheckDue).toBe(false);
    clock.advance(HOUR_MS);
  }
  expect(keeper.isCheckDue).toBe(true);
  await keeper.stop();
});

test("what is recorded while the gateway runs is written without waiting for the disk, and nothing of it is lost", async () => {
  const { keeper, record } = openKeeper(new FakeClock());
  keeper.begin();
  const texts = ["one.db", "two.db", "mqtt.db"].map((file) => detail("loss.file_recreated", { file }));
  const found = () => readRecord(data)?.losses.map(({ params }) => params?.file);
  const [one, two, three] = texts;
  const saved = keeper.note([one!]);
  expect(found()).toEqual([]);
  const advanced = keeper.advance();
  const acknowledged = keeper.acknowledge();
  const second = keeper.note([two!]);
  keeper.replace("mqtt.db", three!);
  expect(found()).toEqual(["one.db", "two.db", "mqtt.db"]); // on the disk, before the file is moved
  await Promise.all([saved, advanced, acknowledged, second]);
  await keeper.stop();
  expect(readRecord(data)?.losses.map((loss) => loss.acknowledged)).toEqual([true, undefined, undefined]);
  expect(found()).toEqual(["one.db", "two.db", "mqtt.db"]);
  expect(readRecord(data)).toMatchObject({ generation: record.generation + 2, isAdvancing: false });
});

test("the inventory of a directory that takes the place of the open one is left alone", async () => {
  const open = mkdtempSync(join(tmpdir(), "lineside-inventory-"));
  for (const name of ["lineside.db", "lineside.db-wal"]) writeFileSync(join(open, name), "");
  const { keeper, record } = openKeeper(new FakeClock(), open);
  keeper.begin();
  await keeper.advance();
  const written = readRecord(open);
  expect(written?.generation).toBe(record.generation + 1);
  cpSync(open, `${open}.copy`, { recursive: true });
  renameSync(open, `${open}.away`);
  renameSync(`${open}.copy`, open);
  await keeper.stop();
  expect(readRecord(open)).toEqual(written!);
  rmSync(open, { recursive: true });
  renameSync(`${open}.away`, open);
  await keeper.stop();
  expect(readRecord(open)?.generation).toBe(record.generation + 2);
  rmSync(open, { recursive: true });
});
