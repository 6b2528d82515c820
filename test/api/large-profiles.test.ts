// Rules of a profile may name 24,000 devices. What a device needs of its profile must not cost their reading.
import { afterAll, expect, spyOn, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const MARK = "zq-large-rule";
const DEVICES = 30;
const stops: Array<() => unknown> = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function open(directory: string): Promise<TestApp> {
  const fixture = await createTestApp({ directory });
  stops.push(() => fixture.stop());
  return fixture;
}

test("devices that report after a restart do not each read the rules of their profile", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-large-profile-"));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const before = await open(directory);
  const { token } = await before.signIn("TENANT_OWNER");
  const [{ profileId }] = (await before.call("GET", "/api/device-profiles", { token })).body;
  const devices = await Promise.all(Array.from({ length: DEVICES }, () => before.createDevice(token)));
  const condition = { key: "t", op: "GT", value: 1e9 };
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  const rule = { alarmType: MARK, createRules: [{ severity: "MAJOR", condition }], appliesTo: { deviceIds } };
  const path = `/api/device-profiles/${profileId}`;
  expect((await before.call("PATCH", path, { token, body: { alarmRules: [rule] } })).status).toBe(200);
  await before.stop();
  stops.splice(stops.length - 1);
  const after = await open(directory);
  const parse = spyOn(JSON, "parse");
  let reads = 0;
  try {
    for (const { token: key } of devices)
      expect((await after.call("POST", `/api/v1/${key}/telemetry`, { body: { t: 1 } })).status).toBe(200);
    reads = parse.mock.calls.filter(([text]) => String(text).includes(MARK)).length;
  } finally {
    parse.mockRestore();
  }
  expect(reads).toBeGreaterThan(0); // the alarm engine compiles them
  expect(reads).toBeLessThan(DEVICES / 3);
});
