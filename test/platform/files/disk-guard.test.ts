import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { FakeClock } from "../../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const MB = 1024 * 1024;
const clock = new FakeClock(Date.now());
let space = { free: 10_000 * MB, total: 50_000 * MB };
/** How often the guard has read the space. */
let reads = 0;
let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  const readSpace = async () => {
    reads++;
    return space;
  };
  fixture = await createTestApp({ clock, readSpace });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

const report = (path = "telemetry") =>
  fixture.call("POST", `/api/v1/${device.token}/${path}`, { body: { a: 1 } });
async function setFree(free: number, total = space.total): Promise<void> {
  space = { free, total };
  const before = reads;
  // The guard asks for the next check when the one before has ended, which takes a look at the real disk.
  while (reads === before) {
    clock.advance(2_000);
    await Bun.sleep(1);
  }
}

describe("before the disk is full", () => {
  test("there is room, and a ballast file for worse days", async () => {
    expect((await report()).status).toBe(200);
    expect(existsSync(join(fixture.directory, "ballast"))).toBe(true);
  });

  test("no data is taken below the limit, with a time to come back", async () => {
    await setFree(99 * MB);
    for (const path of ["telemetry", "attributes"]) {
      const response = await report(path);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
      expect(response.body).toMatchObject({ statusCode: 503 });
    }
    expect(existsSync(join(fixture.directory, "ballast"))).toBe(false);
  });

  test("changes are made until half of the space kept free is used, and deletions afterwards", async () => {
    const create = (text = "") =>
      fixture.call("POST", "/api/dashboards", {
        token: owner,
        body: { name: "Line 1", configuration: { text } },
      });
    const created = await create();
    expect(created.status).toBe(201);
    // Between two looks at the disk, what was sent counts.
    await setFree(52 * MB);
    const responses = [];
    for (let sent = 0; sent < 4; sent++) responses.push((await create("x".repeat(700_000))).status);
    expect(responses).toContain(503);
    await setFree(49 * MB);
    const refused = await create();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(refused.body).toMatchObject({ code: "storage.full" });
    const renamed = await fixture.call("PATCH", `/api/devices/${device.deviceId}`, {
      token: owner,
      body: { label: "new" },
    });
    expect(renamed.status).toBe(503);
    // Reading, deleting and settings of the gateway still work.
    const spare = { deviceIds: [device.deviceId], keys: ["a"] };
    const reading = await fixture.call("POST", "/api/v1/telemetry/latest", { token: owner, body: spare });
    expect(reading.status).toBe(200);
    const deleted = await fixture.call("DELETE", `/api/dashboards/${created.body.id}`, { token: owner });
    expect(deleted.status).toBe(200);
    const bulk = await fixture.call("POST", "/api/devices/bulk/delete", {
      token: owner,
      body: { deviceIds: ["unknown"] },
    });
    expect(bulk.status).not.toBe(503);
    await setFree(99 * MB);
    expect((await create()).status).toBe(201);
  });

  test("an MQTT device gets no acknowledgement and is sent away", async () => {
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: device.token,
      protocolVersion: 5,
      reconnectPeriod: 0,
    });
    let isAcknowledged = false;
    client.publishAsync("v1/devices/me/telemetry", '{"a":2}', { qos: 1 }).then(
      () => {
        isAcknowledged = true;
      },
      () => undefined,
    );
    const reason = await new Promise((resolve) =>
      client.once("disconnect", ({ reasonCode }) => resolve(reasonCode)),
    );
    expect(reason).toBe(0x97);
    await client.endAsync(true);
    expect(isAcknowledged).toBe(false); // and nothing comes after the end of the connection
  });

  test("reading and deleting go on", async () => {
    expect(
      (await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, { token: owner })).body
        .values,
    ).toEqual({ a: 1 });
    const path = `/api/devices/${device.deviceId}/telemetry?from=0&to=${Date.now()}`;
    expect((await fixture.call("DELETE", path, { token: owner })).status).toBe(200);
  });

  test("a little more room is not enough, enough room is, without a restart", async () => {
    await setFree(110 * MB);
    expect((await report()).status).toBe(503);
    await setFree(200 * MB);
    expect((await report()).status).toBe(200);
    expect(existsSync(join(fixture.directory, "ballast"))).toBe(true);
  });

  test("of a small disk only a twentieth has to stay free", async () => {
    await setFree(60 * MB, 1_000 * MB);
    expect((await report()).status).toBe(200);
    await setFree(40 * MB, 1_000 * MB);
    expect((await report()).status).toBe(503);
    await setFree(900 * MB, 1_000 * MB);
    expect((await report()).status).toBe(200);
  });
});

describe("a database that is replaced while the gateway runs", () => {
  test.each(["lineside.db", "lineside.db-wal", "telemetry.db-shm"])(
    "has data and changes refused until %s is back, with its name",
    async (file) => {
      const path = join(fixture.directory, file);
      await setFree(900 * MB); // a check knows the files
      renameSync(path, `${path}.away`);
      cpSync(`${path}.away`, path);
      const problems = () => fixture.app.health.blocking();
      const isNoticed = (isExpected: boolean) =>
        until(() => {
          clock.advance(2_000);
          return problems().some(({ code }) => code === "storage.file_replaced") === isExpected;
        });
      await isNoticed(true);
      expect(problems()).toMatchObject([{ severity: "UNREADY", params: { file } }]);
      expect([(await report()).status, (await report("attributes")).body.code]).toEqual([
        503,
        "storage.file_replaced",
      ]);
      const change = { token: owner, body: { name: "a" } };
      expect((await fixture.call("POST", "/api/dashboards", change)).status).toBe(503);
      renameSync(`${path}.away`, path);
      await isNoticed(false);
      expect((await report()).status).toBe(200);
    },
  );
});
