import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DeviceId } from "../../../../src/lib/core/ids.ts";
import { createOrphans } from "../../../../src/modules/alarms/engine/alarm-engine.ts";
import { openAlarmDatabase, startEngine } from "../engine-harness.ts";

test("an alarm whose rule was taken away in the moment of a power failure ends at the next start", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-orphans-"));
  const database = openAlarmDatabase(join(directory, "alarms.db"));
  const rule = (alarmType: string) => ({
    alarmType,
    createRules: [{ severity: "MAJOR", condition: { key: "t", op: "GT", value: 50 } }],
  });
  const rules = [rule("Hot"), rule("Warm")];
  const engine = startEngine(database, rules);
  engine.send(engine.now(), { t: 60 });
  rules.pop();
  engine.kill(0);
  expect(engine.alarms()).toMatchObject([
    { alarmType: "Hot", status: "ACTIVE_UNACK" },
    { alarmType: "Warm", status: "CLEARED_UNACK" },
  ]);
  engine.end();
  database.close();
  await rm(directory, { recursive: true, force: true });
});

test("of very many devices others get their turn in between, and none is left out", async () => {
  const cleared: string[] = [];
  const forgotten: string[] = [];
  const orphans = createOrphans({
    repository: { listOpen: (deviceId: DeviceId) => [{ alarmId: deviceId, alarmType: "Hot" }] as never },
    lifecycle: { commit: (work) => work(), clear: ({ alarmId }) => void cleared.push(alarmId) },
    rulesOf: () => undefined,
    findDevice: (deviceId) => ({ deviceId }) as never,
    forget: (deviceId) => void forgotten.push(deviceId),
    guarded: (_, work) => work(),
  });
  const devices = Array.from({ length: 500 }, (_, index) => `d${index}` as DeviceId);
  orphans.clearOrphans(devices);
  const atOnce = cleared.length;
  expect(atOnce).toBeLessThan(100);
  orphans.clearOrphans(["late" as DeviceId]);
  expect(cleared).toHaveLength(atOnce);
  while (cleared.length < 501) await new Promise((resolve) => setImmediate(resolve));
  expect(cleared).toEqual([...devices, "late"]);
  expect(forgotten).toEqual(cleared);
});

test("nothing is remembered of a device whose rules were removed, once the time of one of them has come", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-orphans-"));
  const database = openAlarmDatabase(join(directory, "alarms.db"));
  const condition = { key: "t", op: "GT", value: 50 };
  const rules = [
    { alarmType: "Hot", createRules: [{ severity: "MAJOR", condition, kind: "DURATION", forMs: 5_000 }] },
  ];
  const engine = startEngine(database, rules);
  engine.send(engine.now(), { t: 60 });
  engine.advance(1_000);
  expect(engine.countStates()).toBe(1);
  engine.send(engine.now(), { t: 61 });
  rules.pop();
  engine.rulesChanged();
  engine.advance(4_000);
  engine.end();
  expect(engine.countStates()).toBe(0);
  database.close();
  await rm(directory, { recursive: true, force: true });
});
