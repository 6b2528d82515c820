import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../../src/platform/core/log.ts";
import { beginInventory } from "../../../src/platform/files/inventory.ts";
import { InventoryKeeper } from "../../../src/platform/files/inventory-keeper.ts";
import { readRecord } from "../../../src/platform/files/inventory-record.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const data = mkdtempSync(join(tmpdir(), "lineside-inventory-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const HOUR_MS = 3_600_000;
const HOURS_OF_MONTH = 720;

test("a check of all files is due after every start but the first, and every month", async () => {
  beginInventory(data);
  const dues: boolean[] = [];
  for (const stop of ["in order", "killed", "in order"]) {
    const clock = new FakeClock();
    const record = readRecord(data);
    if (record == null) throw new Error("there is no inventory");
    const keeper = new InventoryKeeper({
      dataPath: data,
      record,
      warnings: [],
      clock,
      log: createLogger("test"),
    });
    keeper.begin();
    keeper.start();
    dues.push(keeper.isCheckDue);
    await keeper.advance();
    keeper.noteCheck();
    dues.push(keeper.isCheckDue);
    if (stop === "in order") await keeper.stop();
  }
  expect(dues).toEqual([false, false, true, false, true, false]);
});

test("hours without a check add up", async () => {
  const record = readRecord(data);
  if (record == null) throw new Error("there is no inventory");
  const clock = new FakeClock();
  const keeper = new InventoryKeeper({
    dataPath: data,
    record,
    warnings: [],
    clock,
    log: createLogger("test"),
  });
  keeper.begin();
  keeper.start();
  await keeper.advance();
  keeper.noteCheck();
  for (let hour = 0; hour < HOURS_OF_MONTH; hour++) {
    expect(keeper.isCheckDue).toBe(false);
    clock.advance(HOUR_MS);
  }
  expect(keeper.isCheckDue).toBe(true);
  await keeper.stop();
});
