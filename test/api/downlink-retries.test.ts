import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const clock = new FakeClock(Date.now());
let fixture: TestApp;
let network: WebhookReceiver;
let owner: string;
let number = 0;

beforeAll(async () => {
  network = createWebhookReceiver();
  fixture = await createTestApp({ clock, config: { outbound_allow: "127.0.0.1" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(async () => {
  await fixture.stop();
  await network.stop();
});
const down =
  (status = 503, headers = {}) =>
  () =>
    new Response("{}", { status, headers });
const works = () => Response.json({ id: crypto.randomUUID() });
beforeEach(() => {
  network.answer = works;
});

const call = async (method: string, path: string, body?: unknown) => {
  const response = await fixture.call(method, `/api${path}`, { token: owner, body });
  if (response.status >= 300)
    throw new Error(`${method} ${path} answered ${response.status} ${response.text}`);
  return response.body;
};

async function setUp(downlink: object = {}) {
  number++;
  const { integrationId } = await call("POST", "/integrations", {
    ...{ name: `network ${number}`, type: "CHIRPSTACK", status: "active" },
    settings_json: { downlink: { url: network.url, apiKey: "k", fPort: 1, ...downlink } },
  });
  const path = `/integrations/${integrationId}/downlink`;
  const devEui = number.toString(16).padStart(16, "0");
  return {
    ...{ integrationId, devEui },
    send: (hex: string, more: object = {}) => call("POST", path, { devEui, hex, ...more }),
    states: async (): Promise<string[]> =>
      (await call("GET", `${path}s`)).map(({ status }: { status: string }) => status).toReversed(),
    latest: async () => (await call("GET", `${path}s`))[0],
  };
}

/**
 * Moves the clock while something is waited for: slowly enough that a request, which has ten seconds of this clock, is answered in
 * its time on a busy machine too. Resolves to how far it moved.
 */
async function moveUntil(isDone: () => boolean | Promise<boolean>): Promise<number> {
  let moved = 0;
  while (!(await isDone())) {
    clock.advance(500);
    moved += 500;
    await Bun.sleep(2);
  }
  return moved;
}
const advanceUntil = (count: number) => moveUntil(() => network.received.length >= count);
async function whileMoving<T>(promise: Promise<T>): Promise<T> {
  let isDone = false;
  promise.finally(() => {
    isDone = true;
  });
  await moveUntil(() => isDone);
  return promise;
}
const settled = (ask: () => Promise<string[]>, wanted: string[]) =>
  until(async () => JSON.stringify(await ask()) === JSON.stringify(wanted), `states ${wanted.join()}`);
const dataOf = (index: number) => network.received.at(index)?.body.queueItem.data;

test("those of one device keep their order, those of others do not wait for it", async () => {
  const { send, states, devEui } = await setUp();
  network.answer = ({ body }) =>
    body.queueItem.data === "AQ==" ? new Response("{}", { status: 500 }) : works();
  const before = network.received.length;
  expect((await whileMoving(send("01"))).status).toBe("QUEUED");
  expect((await whileMoving(send("02"))).status).toBe("QUEUED");
  expect((await whileMoving(send("03", { devEui: "ff00000000000001" }))).status).toBe("SENT");
  network.answer = works;
  const wanted = JSON.stringify(["SENT", "SENT", "SENT"]);
  await moveUntil(async () => JSON.stringify(await states()) === wanted);
  const ofDevice = network.received.slice(before).filter(({ path }) => path.includes(devEui));
  const sent = ofDevice.map(({ body }) => body.queueItem.data);
  // The first as often as it took, and only then the second.
  expect(sent.lastIndexOf("AQ==")).toBe(sent.length - 2);
  expect(sent.at(-1)).toBe("Ag==");
});

test("it waits as long as the network server asks for", async () => {
  const { send } = await setUp();
  network.answer = down(429, { "retry-after": "120" });
  const before = network.received.length;
  await send("01");
  network.answer = works;
  expect(await advanceUntil(before + 2)).toBeGreaterThanOrEqual(119_000);
});

test("a webhook that is paused there is tried again", async () => {
  const { send, latest } = await setUp();
  network.answer = down(406);
  const before = network.received.length;
  expect(await send("01")).toMatchObject({ status: "QUEUED", error: expect.stringContaining("paused") });
  network.answer = works;
  await advanceUntil(before + 2);
  while ((await latest()).status !== "SENT");
});

test("one that is too old, or has been tried as often as the settings say, is given up", async () => {
  network.answer = down();
  const old = await setUp();
  await old.send("01", { expiresInMs: 60_000 });
  const tried = await setUp({ retries: 2 });
  const before = network.received.length;
  await tried.send("02");
  const isOver = async (item: typeof old) => (await item.latest()).status === "FAILED";
  await moveUntil(async () => (await isOver(old)) && (await isOver(tried)));
  expect(await old.latest()).toMatchObject({
    status: "FAILED",
    errorText: { code: "downlink_error.expired_because", params: { reason: { params: { status: 503 } } } },
  });
  expect(await tried.latest()).toMatchObject({ status: "FAILED", attempts: 3 });
  expect(network.received.slice(before).filter(({ path }) => path.includes(tried.devEui))).toHaveLength(3);
});

test("what waits for an integration is tried at once when its settings change, and not while it is paused", async () => {
  const { send, latest, integrationId } = await setUp({ url: "http://127.0.0.1:1" });
  expect(await send("01")).toMatchObject({ status: "QUEUED" });
  await call("POST", `/integrations/${integrationId}/pause`);
  await call("PATCH", `/integrations/${integrationId}`, {
    settings_json: { downlink: { url: network.url, apiKey: "k", fPort: 1 } },
  });
  const before = network.received.length;
  let steps = 0;
  await moveUntil(() => ++steps > 200);
  expect([network.received.length, (await latest()).status]).toEqual([before, "QUEUED"]);
  await call("POST", `/integrations/${integrationId}/start`);
  await network.until(before + 1);
  while ((await latest()).status !== "SENT");
});

test("what waits outlives a restart", async () => {
  const directory = fixture.directory;
  const { send, states } = await setUp();
  network.answer = down();
  await send("01");
  await fixture.app.stop();
  network.answer = works;
  const before = network.received.length;
  fixture = await createTestApp({ clock, directory, config: { outbound_allow: "127.0.0.1" } });
  await network.until(before + 1);
  expect(dataOf(-1)).toBe("AQ==");
  await settled(states, ["SENT"]);
});

describe("a report that is faster than the network server's own answer", () => {
  test("is not lost", async () => {
    const { send, integrationId } = await setUp();
    const tenantId = (await call("GET", "/tenant/integration")).tenantId;
    const { secret } = await call("POST", "/tenant/integration/rotate-secret");
    network.answer = async () => {
      const notified = await fixture.call(
        "POST",
        `/api/v1/integrations/lorawan-a/${integrationId}/telemetry?event=txack`,
        {
          headers: { "x-webhook-secret": secret, "x-tenant-id": tenantId },
          body: { deviceInfo: { devEui: "0000000000000001" }, queueItemId: "fast", downlinkId: 1 },
        },
      );
      expect(notified.status).toBe(200);
      return Response.json({ id: "fast" });
    };
    const { downlinkId } = await send("01");
    const [latest] = await call("GET", `/integrations/${integrationId}/downlinks`);
    expect(latest).toMatchObject({ downlinkId, status: "TRANSMITTED" });
  });
});

test("commands beyond what a device's queue holds wait as commands, and all go out in their order", async () => {
  const { integrationId } = await setUp();
  const devEui = "00000000000000ff";
  const { deviceId } = await fixture.createDevice(owner, { name: "many", lorawanDevEui: devEui });
  const { tenantId } = await call("GET", "/tenant/integration");
  const { secret } = await call("POST", "/tenant/integration/rotate-secret");
  const apiResponse = await fixture.call(
    "POST",
    `/api/v1/integrations/lorawan-a/${integrationId}/telemetry?event=up`,
    {
      headers: { "x-webhook-secret": secret, "x-tenant-id": tenantId },
      body: { deviceInfo: { devEui, applicationId: "a" }, object: { t: 1 } },
    },
  );
  expect(apiResponse.status).toBe(200);
  network.answer = down();
  for (let n = 0; n < 105; n++)
    await call("POST", `/devices/${deviceId}/commands`, {
      method: "downlink",
      params: { hex: n.toString(16).padStart(2, "0") },
    });
  const states = async (): Promise<string[]> =>
    (await call("GET", `/devices/${deviceId}/commands?limit=200`)).map(
      ({ status }: { status: string }) => status,
    );
  expect((await states()).filter((status) => status === "QUEUED")).toHaveLength(15); // a tenth is for direct downlinks
  const numbers: number[] = [];
  network.answer = ({ path, body }) => {
    if (path.includes(devEui)) numbers.push(Buffer.from(body.queueItem.data, "base64").readUInt8());
    return works();
  };
  await moveUntil(() => numbers.length >= 105);
  expect(numbers).toEqual(Array.from({ length: 105 }, (_, n) => n));
  expect((await states()).filter((status) => status === "QUEUED")).toHaveLength(0);
});
