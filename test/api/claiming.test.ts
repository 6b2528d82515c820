// Devices that people claim with the code on the sticker.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "cbor-x";
import { connectAsync } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const KEY = "7HK4-WQ2M";
const DAY_MS = 86_400_000;
const clock = new FakeClock();
let fixture: TestApp;
let owner: string;
let reader: string;
let installer: Awaited<ReturnType<TestApp["signIn"]>>;
let colleague: Awaited<ReturnType<TestApp["signIn"]>>;
let stranger: string;
let device: { deviceId: string; token: string; name: string };

async function signInAll(): Promise<void> {
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  installer = await fixture.signIn("TENANT_RW", { devices: [] });
  colleague = await fixture.signIn("TENANT_RW", { devices: [] });
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
}

beforeAll(async () => {
  fixture = await createTestApp({ clock });
});
afterAll(() => fixture.stop());
beforeEach(async () => {
  clock.advance(600_000);
  await signInAll();
  const name = `Pump ${crypto.randomUUID()}`;
  device = { ...(await fixture.createDevice(owner, { name })), name };
});

const request = (body: unknown, token = device.token) =>
  fixture.call("POST", `/api/v1/${token}/claim`, {
    raw: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
const claim = (token: string, secretKey = KEY, deviceName = device.name) =>
  fixture.call("POST", "/api/devices/claim", { token, body: { deviceName, secretKey } });
const path = () => `/api/devices/${device.deviceId}/claiming`;
const state = async (token = owner) => (await fixture.call("GET", path(), { token })).body;
const read = async (token: string) =>
  (await fixture.call("GET", `/api/devices/${device.deviceId}`, { token })).status;

apiRows(
  () => fixture,
  [
    [
      "a reader claims nothing",
      () => ({
        method: "POST",
        path: "/api/devices/claim",
        token: reader,
        body: { deviceName: device.name, secretKey: KEY },
      }),
      403,
    ],
    [
      "a reader opens nothing",
      () => ({ method: "PUT", path: path(), token: reader, body: { secretKey: KEY } }),
      403,
    ],
    ["a reader releases nothing", () => ({ method: "DELETE", path: path(), token: reader }), 403],
    ["a reader reads the state", () => ({ method: "GET", path: path(), token: reader }), 200],
    [
      "who does not see the device reads no state",
      () => ({ method: "GET", path: path(), token: installer.token }),
      404,
    ],
    [
      "who does not see the device opens nothing",
      () => ({ method: "PUT", path: path(), token: installer.token, body: { secretKey: KEY } }),
      404,
    ],
    [
      "a short key is refused",
      () => ({ method: "PUT", path: path(), token: owner, body: { secretKey: "12345" } }),
      400,
    ],
    [
      "a time of eleven years is refused",
      () => ({
        method: "PUT",
        path: path(),
        token: owner,
        body: { secretKey: KEY, durationMs: 11 * 366 * DAY_MS },
      }),
      400,
    ],
    [
      "a claim without a key is refused",
      () => ({ method: "POST", path: "/api/devices/claim", token: owner, body: { deviceName: device.name } }),
      400,
    ],
    [
      "a wrong token is refused",
      () => ({ method: "POST", path: "/api/v1/wrong/claim", raw: JSON.stringify({ secretKey: KEY }) }),
      401,
    ],
  ].map(([name, request, status]) => ({ name, request, status }) as never),
);

describe("a request of a device over HTTP", () => {
  test.each([
    ["no object", "text"],
    ["no key", {}],
    ["a short key", { secretKey: "12345" }],
    ["a number as the key", { secretKey: 1_234_567 }],
    ["a long key", { secretKey: "x".repeat(129) }],
    ["a text as the time", { secretKey: KEY, durationMs: "60000" }],
    ["a time that is too long", { secretKey: KEY, durationMs: 1e15 }],
  ])("with %s is 400 and opens nothing", async (_, body) => {
    expect((await request(body)).status).toBe(400);
    expect(await state()).toEqual({ state: "NONE" });
  });

  test("that is refused is listed on the device, without its key", async () => {
    await request({ secretKey: KEY, durationMs: "60000" });
    const path = `/api/devices/${device.deviceId}/rejections`;
    const [newest] = (await fixture.call("GET", path, { token: owner })).body;
    expect(newest).toMatchObject({ source: "http", where: "/claim", code: "claiming.duration_invalid" });
    expect(newest.sample).toContain("durationMs");
    expect(newest.sample).not.toContain(KEY);
  });

  test("that is too large is 413", async () => {
    expect((await request({ secretKey: KEY, padding: "x".repeat(5_000) })).status).toBe(413);
  });

  test("lasts a day unless it says otherwise", async () => {
    expect((await request({ secretKey: KEY })).body).toEqual({ success: true });
    expect(await state()).toEqual({
      state: "WAITING",
      expiresAt: new Date(clock.now() + DAY_MS).toISOString(),
    });
    await request({ secretKey: KEY, durationMs: 0 });
    expect((await state()).expiresAt).toBe(new Date(clock.now() + DAY_MS).toISOString());
  });

  test("in CBOR counts as well", async () => {
    const response = await fixture.call("POST", `/api/v1/${device.token}/claim`, {
      raw: encode({ secretKey: KEY, durationMs: 60_000 }),
      headers: { "content-type": "application/cbor" },
    });
    expect(response.status).toBe(200);
    expect((await claim(installer.token)).status).toBe(200);
  });
});

describe("a request over MQTT", () => {
  const connect = (token = device.token) =>
    connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: token,
      protocolVersion: 5,
      reconnectPeriod: 0,
      keepalive: 0,
    });

  test("opens the device once it is acknowledged, and a wrong one is listed", async () => {
    const client = await connect();
    try {
      await client.publishAsync(
        "v1/devices/me/claim",
        JSON.stringify({ secretKey: KEY, durationMs: 60_000 }),
        { qos: 1 },
      );
      expect((await state()).state).toBe("WAITING");
      const refused = client.publishAsync("v1/devices/me/claim", JSON.stringify({ secretKey: 1 }), {
        qos: 1,
      });
      await expect(refused).rejects.toThrow();
    } finally {
      await client.endAsync();
    }
    const { body } = await fixture.call("GET", `/api/devices/${device.deviceId}/rejections`, {
      token: owner,
    });
    expect(body).toMatchObject([{ where: "v1/devices/me/claim", code: "claiming.secret_invalid" }]);
  });

  test("of a gateway opens its children, and a wrong one costs the others nothing", async () => {
    const gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
    const good = `Meter ${crypto.randomUUID()}`;
    const bad = `Meter ${crypto.randomUUID()}`;
    const client = await connect(gateway.token);
    try {
      await client.publishAsync(
        "v1/gateway/claim",
        JSON.stringify({ [good]: { secretKey: KEY, durationMs: 60_000 }, [bad]: { secretKey: "1" } }),
        { qos: 1 },
      );
    } finally {
      await client.endAsync();
    }
    expect((await claim(installer.token, KEY, good)).body).toEqual({
      deviceId: expect.any(String),
      name: good,
    });
    expect((await claim(installer.token, KEY, bad)).status).toBe(403);
  });
});

describe("a device that waits", () => {
  beforeEach(() => request({ secretKey: KEY, durationMs: 60_000 }));

  test("is granted to the user who claims it", async () => {
    expect(await read(installer.token)).toBe(404);
    expect((await claim(installer.token)).body).toEqual({ deviceId: device.deviceId, name: device.name });
    expect(await read(installer.token)).toBe(200);
    expect(await read(colleague.token)).toBe(404);
    expect(await state(installer.token)).toEqual({
      state: "CLAIMED",
      claimedAt: expect.any(String),
      claimedBy: installer.user.email,
    });
  });

  test("is nobody's for a wrong key, a wrong name, and a user of another tenant, in the same words", async () => {
    const responses = [
      await claim(installer.token, "7HK4-WQ2X"),
      await claim(installer.token, KEY, "Pump of nobody"),
      await claim(stranger),
    ];
    for (const { status, body } of responses) {
      expect([status, body.code, body.params]).toEqual([403, "claiming.refused", {}]);
    }
    expect((await state()).state).toBe("WAITING");
  });

  test("goes to one of two who claim it at once", async () => {
    const responses = await Promise.all([claim(installer.token), claim(colleague.token)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect([await read(installer.token), await read(colleague.token)].sort()).toEqual([200, 404]);
  });

  test("cannot be claimed when its time is over", async () => {
    clock.advance(60_000);
    expect((await claim(installer.token)).status).toBe(403);
    expect((await state()).state).toBe("EXPIRED");
  });

  test("cannot be claimed for longer because the clock was set back", async () => {
    clock.jump(-DAY_MS);
    await signInAll();
    expect((await claim(installer.token)).status).toBe(403);
    clock.jump(DAY_MS);
  });

  test("has the newest key of its requests", async () => {
    await request({ secretKey: "another key", durationMs: 60_000 });
    expect((await claim(installer.token)).status).toBe(403);
    expect((await claim(installer.token, "another key")).status).toBe(200);
  });

  test("is closed to guesses after ten, for the right key too, until time has passed", async () => {
    for (let index = 0; index < 10; index++)
      expect((await claim(installer.token, `wrong key ${index}`)).status).toBe(403);
    const response = await claim(colleague.token);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    clock.advance(59_000);
    await request({ secretKey: KEY, durationMs: 60_000 });
    clock.advance(1_000);
    expect((await claim(colleague.token)).status).toBe(200);
  });

  test("is not claimed by an API key that sees some devices, but by one that sees all", async () => {
    const keyOf = async (devices?: readonly string[]) =>
      (
        await fixture.call("POST", "/api/api-keys", {
          token: owner,
          body: { name: crypto.randomUUID(), role: "TENANT_RW", ...(devices && { deviceIds: devices }) },
        })
      ).body.key as string;
    const other = await fixture.createDevice(owner);
    expect((await claim(await keyOf([other.deviceId]))).status).toBe(403);
    expect((await claim(await keyOf())).status).toBe(200);
  });

  test("is in the audit log without its key, and so is who was refused", async () => {
    await claim(installer.token, "the wrong key");
    await claim(installer.token);
    const { body, text } = await fixture.call("GET", "/api/audit?action=device.claim_ownership", {
      token: owner,
    });
    const own = body.filter(({ actorName }: { actorName: string }) => actorName === installer.user.email);
    expect(own.map(({ outcome }: { outcome: string }) => outcome).sort()).toEqual(["REFUSED", "SUCCESS"]);
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("the wrong key");
  });
});

describe("a claimed device", () => {
  beforeEach(async () => {
    await request({ secretKey: KEY });
    await claim(installer.token);
  });

  test("stays claimed when its firmware repeats the request", async () => {
    expect((await request({ secretKey: "new key" })).status).toBe(200);
    expect((await claim(colleague.token, "new key")).status).toBe(403);
    expect((await claim(colleague.token)).status).toBe(409);
    expect((await fixture.call("PUT", path(), { token: owner, body: { secretKey: KEY } })).status).toBe(409);
  });

  test("can be claimed again after it was released and has sent a new request", async () => {
    expect((await fixture.call("DELETE", path(), { token: installer.token })).status).toBe(200);
    expect(await read(installer.token)).toBe(404);
    expect(await state()).toEqual({ state: "NONE" });
    expect((await claim(colleague.token)).status).toBe(403);
    await request({ secretKey: KEY });
    expect((await claim(colleague.token)).status).toBe(200);
    expect([await read(installer.token), await read(colleague.token)]).toEqual([404, 200]);
  });

  test("is released by an administrator for a user who has left", async () => {
    await fixture.call("DELETE", `/api/users/${installer.user.userId}`, { token: owner });
    expect((await state()).claimedBy).toBe(installer.user.email);
    expect((await fixture.call("DELETE", path(), { token: owner })).status).toBe(200);
  });
});

test("a person opens a device that sends no request, for as long as its sticker lies in a warehouse", async () => {
  const body = { secretKey: KEY, durationMs: 400 * DAY_MS };
  const opened = await fixture.call("PUT", path(), { token: owner, body });
  expect(opened.body.state).toBe("WAITING");
  clock.jump(399 * DAY_MS);
  await signInAll();
  expect((await claim(installer.token)).status).toBe(200);
});

test("guesses for one device do not limit others whose names begin alike, as MAC addresses do", async () => {
  const statuses: number[] = [];
  for (let index = 10; index < 22; index++) {
    const deviceName = `24:E1:24:13:6B:${index}`;
    const { token } = await fixture.createDevice(owner, { name: deviceName });
    await request({ secretKey: KEY }, token);
    statuses.push((await claim(installer.token, KEY, deviceName)).status);
  }
  expect(statuses).toEqual(Array(12).fill(200));
});

test("two devices of one name are told apart by their keys", async () => {
  const twin = await fixture.createDevice(owner, { name: device.name });
  await request({ secretKey: KEY });
  await request({ secretKey: "key of the twin" }, twin.token);
  expect((await claim(installer.token, "key of the twin")).body.deviceId).toBe(twin.deviceId);
  expect((await claim(installer.token)).body.deviceId).toBe(device.deviceId);
});

test("requests and claims survive a restart, and the key is nowhere in the database", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-claiming-"));
  const start = () => createTestApp({ clock, directory });
  try {
    let app = await start();
    const token = (await app.signIn("TENANT_OWNER")).token;
    const waiting = await app.createDevice(token, { name: "Press 1" });
    const { token: installerToken, user } = await app.signIn("TENANT_RW", { devices: [] });
    await app.call("POST", `/api/v1/${waiting.token}/claim`, {
      raw: JSON.stringify({ secretKey: KEY, durationMs: 60_000 }),
    });
    await app.stop();
    app = await start();
    const body = { deviceName: "Press 1", secretKey: KEY };
    expect((await app.call("POST", "/api/devices/claim", { token: installerToken, body })).status).toBe(200);
    await app.stop();
    app = await start();
    expect(
      (await app.call("GET", `/api/devices/${waiting.deviceId}/claiming`, { token: installerToken })).body,
    ).toMatchObject({
      state: "CLAIMED",
      claimedBy: user.email,
    });
    await app.stop();
    const bytes = await Bun.file(join(directory, "lineside.db")).bytes();
    expect(Buffer.from(bytes).includes(KEY)).toBe(false);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
