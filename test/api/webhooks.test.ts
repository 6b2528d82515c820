import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { createWebhookReceiver, isSigned, type WebhookReceiver } from "../support/webhook-receiver.ts";

const path = "/api/data-pipelines";
const clock = new FakeClock();
let fixture: TestApp;
let receiver: WebhookReceiver;
let owner: string;
let reader: string;
let limited: string;
let device: { deviceId: string; token: string };

const create = async (step: Record<string, unknown>) => {
  const steps = [{ type: "webhook_forward", url: `${receiver.url}/in`, ...step }];
  const { body } = await fixture.call("POST", path, { token: owner, body: { name: "p", steps } });
  await fixture.call("POST", `${path}/${body.pipelineId}/start`, { token: owner });
  return body;
};
const read = async (id: string) => (await fixture.call("GET", `${path}/${id}`, { token: owner })).body;
const report = (body: unknown) => fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body });
const deliveries = async (query = "") =>
  (await fixture.call("GET", `${path}/deliveries${query}`, { token: owner })).body;

/** Moves the clock a second at a time until it is so, letting answers come in between. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let second = 0; second < 3_000 && !(await isSo()); second++) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await isSo()).toBe(true);
}

beforeAll(async () => {
  fixture = await createTestApp({ clock, config: { outbound_allow: "127.0.0.1" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  device = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_RW", { devices: [device.deviceId] })).token;
});
afterAll(() => fixture.stop());
afterEach(async () => {
  for (const { pipelineId } of (await fixture.call("GET", path, { token: owner })).body)
    await fixture.call("DELETE", `${path}/${pipelineId}`, { token: owner });
  await receiver.stop();
});
const start = () => {
  receiver = createWebhookReceiver();
};

test("a message goes out with its context, signed, with an id, and goes on unchanged", async () => {
  start();
  const { pipelineId } = await create({
    secret: "only we know",
    headers: { Authorization: "Bearer abc", "X-Plant": "7" },
  });
  await report({ ts: 1_767_225_600_000, values: { temperature: 21.5 } });
  await receiver.until(1);
  const [got] = receiver.received;
  expect(got?.body).toEqual({
    ts: 1_767_225_600_000,
    deviceId: device.deviceId,
    tenantId: expect.any(String),
    profileId: expect.any(String),
    telemetry: { temperature: 21.5 },
  });
  expect(got?.method).toBe("POST");
  expect(got && isSigned(got, "only we know")).toBe(true);
  expect(got && isSigned(got, "another")).toBe(false);
  const header = (name: string) => got?.headers.get(name);
  expect(header("authorization")).toBe("Bearer abc");
  expect(header("x-plant")).toBe("7");
  expect(header("content-type")).toBe("application/json");
  expect(header("user-agent")).toStartWith("Lineside/");
  expect(header("x-lineside-delivery")).toMatch(/^[0-9a-f-]{36}\.\d+$/);
  await until(async () => (await read(pipelineId)).webhooks.sent === 1);
  expect((await read(pipelineId)).webhooks).toMatchObject({
    failed: 0,
    waiting: 0,
    dead: 0,
    lastError: null,
  });
  const latest = await fixture.call("GET", `/api/devices/${device.deviceId}/telemetry/latest`, {
    token: owner,
  });
  expect(latest.body.values).toEqual({ temperature: 21.5 });
});

test("without context the body has the time and telemetry alone", async () => {
  start();
  await create({ includeContext: false, method: "PUT" });
  await report({ ts: 5_000_000_000_00, values: { a: 1 } });
  await receiver.until(1);
  expect(receiver.received[0]?.body).toEqual({ ts: 5_000_000_000_00, telemetry: { a: 1 } });
  expect(receiver.received[0]?.method).toBe("PUT");
});

test("what a later step drops was sent all the same", async () => {
  start();
  const steps = [
    { type: "webhook_forward", url: receiver.url },
    { type: "conditional_drop", condition: { key: "a", op: "EQ", value: 1 } },
  ];
  const { body } = await fixture.call("POST", path, { token: owner, body: { name: "p", steps } });
  await fixture.call("POST", `${path}/${body.pipelineId}/start`, { token: owner });
  await report({ a: 1 });
  await receiver.until(1);
  expect(receiver.received[0]?.body.telemetry).toEqual({ a: 1 });
});

test("one device's go in order whatever fails in between, and each until it is taken", async () => {
  start();
  let asked = 0;
  receiver.answer = () => new Response("", { status: ++asked % 3 === 0 ? 200 : asked % 3 === 1 ? 500 : 503 });
  const { pipelineId } = await create({});
  for (let n = 0; n < 5; n++) await report({ n });
  await until(async () => (await read(pipelineId)).webhooks.sent === 5);
  const ids = receiver.received.map(({ headers }) => headers.get("x-lineside-delivery"));
  expect(receiver.received.map(({ body }) => body.telemetry.n)).toEqual([
    0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4,
  ]);
  expect(new Set(ids).size).toBe(5);
});

test("a refused one is a dead letter at once, can be read, sent again and deleted", async () => {
  start();
  receiver.answer = ({ body }) =>
    new Response("no such thing", { status: body.telemetry.n === 1 ? 404 : 200 });
  const { pipelineId } = await create({});
  for (let n = 0; n < 3; n++) await report({ n });
  await until(async () => (await read(pipelineId)).webhooks.dead === 1);
  expect(receiver.received.map(({ body }) => body.telemetry.n)).toEqual([0, 1, 2]);
  const [dead] = await deliveries(`?pipelineId=${pipelineId}&state=dead`);
  expect(dead).toMatchObject({
    pipelineId,
    deviceId: device.deviceId,
    state: "dead",
    attempts: 1,
    lastStatus: 404,
    lastError: "it answered 404: no such thing",
    nextAttemptAt: null,
  });
  const one = `${path}/deliveries/${dead.deliveryId}`;
  expect(JSON.parse((await fixture.call("GET", one, { token: reader })).body.body).telemetry).toEqual({
    n: 1,
  });
  expect((await fixture.call("GET", one, { token: limited })).status).toBe(403);
  expect((await fixture.call("POST", `${one}/replay`, { token: reader })).status).toBe(403);
  receiver.answer = () => new Response("", { status: 410 });
  expect((await fixture.call("POST", `${one}/replay`, { token: owner })).body.state).toBe("waiting");
  await until(async () => (await deliveries("?state=dead"))[0]?.lastStatus === 410);
  receiver.answer = () => new Response("");
  expect(
    (await fixture.call("POST", `${path}/${pipelineId}/deliveries/replay`, { token: owner })).body,
  ).toEqual({
    replayed: 1,
  });
  await until(async () => (await read(pipelineId)).webhooks.sent === 3);
  expect(receiver.received.at(-1)?.headers.get("x-lineside-delivery")).toBe(dead.deliveryId);
  expect((await fixture.call("GET", one, { token: owner })).status).toBe(404);
});

test("what was given up for a wrong address goes to the right one when it is sent again", async () => {
  start();
  receiver.answer = ({ path: at, headers }) =>
    new Response("", {
      status: at === "/right" && headers.get("authorization") === "Bearer new" ? 200 : 401,
    });
  const { pipelineId, steps } = await create({
    url: `${receiver.url}/wrong`,
    headers: { Authorization: "Bearer old" },
  });
  for (let n = 0; n < 4; n++) await report({ n });
  await until(async () => (await read(pipelineId)).webhooks.dead === 4);
  const put = { ...steps[0], url: `${receiver.url}/right`, headers: { Authorization: "Bearer new" } };
  await fixture.call("PATCH", `${path}/${pipelineId}`, { token: owner, body: { steps: [put] } });
  const [newest] = await deliveries("?state=dead");
  const again = await fixture.call("POST", `${path}/deliveries/${newest.deliveryId}/replay`, {
    token: owner,
  });
  expect(again.body).toMatchObject({ state: "waiting", url: `${receiver.url}/right` });
  await until(async () => (await read(pipelineId)).webhooks.sent === 1);
  const all = await fixture.call("POST", `${path}/${pipelineId}/deliveries/replay`, { token: owner });
  expect(all.body).toEqual({ replayed: 3 });
  await until(async () => (await read(pipelineId)).webhooks.sent === 4);
  const taken = receiver.received.filter(({ path: at }) => at === "/right");
  expect(taken.map(({ body }) => body.telemetry.n)).toEqual([3, 0, 1, 2]);
});

test("what waits can be deleted, and does not go out any more", async () => {
  start();
  receiver.answer = () => new Response("", { status: 503 });
  const { pipelineId } = await create({});
  await report({ n: 1 });
  await report({ n: 2 });
  await until(async () => (await deliveries()).length === 2 && (await deliveries())[1].attempts > 0);
  const deleted = await fixture.call("DELETE", `${path}/${pipelineId}/deliveries?state=waiting`, {
    token: owner,
  });
  expect(deleted.body).toEqual({ deleted: 2 });
  expect((await read(pipelineId)).webhooks).toMatchObject({ waiting: 0, dead: 0 });
  receiver.answer = () => new Response("");
  receiver.received.length = 0;
  await report({ n: 3 });
  await until(async () => (await read(pipelineId)).webhooks.sent === 1);
  expect(receiver.received.map(({ body }) => body.telemetry.n)).toEqual([3]);
});

test("a server that asks for time gets it", async () => {
  start();
  let asked = 0;
  const at: number[] = [];
  receiver.answer = () => {
    at.push(clock.now());
    return ++asked === 1
      ? new Response("", { status: 429, headers: { "retry-after": "120" } })
      : new Response("");
  };
  const { pipelineId } = await create({});
  await report({ n: 1 });
  await until(async () => (await read(pipelineId)).webhooks.sent === 1);
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(120_000);
});

test("a redirect is not followed, to its end or for now", async () => {
  start();
  const other = createWebhookReceiver();
  receiver.answer = () => new Response("", { status: 308, headers: { location: other.url } });
  const { pipelineId } = await create({});
  await report({ n: 1 });
  await until(async () => (await read(pipelineId)).webhooks.dead === 1);
  receiver.answer = ({ body }) =>
    body.telemetry.n === 2 && receiver.received.length === 2
      ? new Response("", { status: 302, headers: { location: other.url } })
      : new Response("");
  await report({ n: 2 });
  await until(async () => (await read(pipelineId)).webhooks.sent === 1);
  expect(other.received).toEqual([]);
  await other.stop();
});

test("a server that never answers is given up for now after the timeout, and holds nobody else up", async () => {
  start();
  const quick = createWebhookReceiver();
  let isSilent = true;
  receiver.answer = () => (isSilent ? new Promise(() => undefined) : new Response(""));
  const { pipelineId: slow } = await create({ timeoutMs: 5_000 });
  const { pipelineId } = await create({ url: quick.url });
  for (let n = 0; n < 20; n++) expect((await report({ n })).status).toBe(200);
  await quick.until(20);
  await until(async () => (await read(slow)).webhooks.lastError !== null);
  expect((await read(slow)).webhooks).toMatchObject({
    lastError: "there was no answer within 5000 ms",
    waiting: 20,
  });
  isSilent = false;
  await until(async () => (await read(slow)).webhooks.sent === 20);
  const taken = receiver.received.map(({ body }) => body.telemetry.n);
  expect([...new Set(taken)]).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect((await read(pipelineId)).webhooks.sent).toBe(20);
  await quick.stop();
});

test("a paused pipeline's still go out; a deleted one's do not", async () => {
  start();
  receiver.answer = () => new Response("", { status: 503 });
  const { pipelineId } = await create({});
  await report({ n: 1 });
  await until(async () => (await deliveries())[0]?.attempts > 0);
  await fixture.call("POST", `${path}/${pipelineId}/pause`, { token: owner });
  receiver.answer = () => new Response("");
  await until(async () => (await read(pipelineId)).webhooks.sent === 1);
  await fixture.call("POST", `${path}/${pipelineId}/start`, { token: owner });
  receiver.answer = () => new Response("", { status: 503 });
  await report({ n: 2 });
  await until(async () => (await deliveries())[0]?.attempts > 0);
  await fixture.call("DELETE", `${path}/${pipelineId}`, { token: owner });
  expect(await deliveries()).toEqual([]);
  receiver.received.length = 0;
  clock.advance(3_600_000);
  await report({ n: 3 });
  expect(receiver.received).toEqual([]);
});

test("secrets are never shown again, and stay through a change, a version and a rollback", async () => {
  start();
  const long = `Bearer ${"ey".repeat(1_000)}`;
  const made = await create({
    secret: "only we know €",
    headers: { "X-Api-Key": "key 7", Authorization: long },
  });
  expect(JSON.stringify(made)).not.toContain("eyey");
  const { pipelineId, steps } = made;
  const change = (body: unknown) => fixture.call("PATCH", `${path}/${pipelineId}`, { token: owner, body });
  expect(JSON.stringify(made)).not.toContain("only we know");
  expect(JSON.stringify(made)).not.toContain("key 7");
  const renamed = [
    { type: "drop_keys", keys: ["x"] },
    { ...steps[0], timeoutMs: 2_000 },
  ];
  expect((await change({ steps: renamed })).status).toBe(200);
  await report({ n: 1 });
  await receiver.until(1);
  expect((await change({ steps: [] })).status).toBe(200);
  await fixture.call("POST", `${path}/${pipelineId}/rollback`, { token: owner, body: { version: 1 } });
  await report({ n: 2 });
  await receiver.until(2);
  for (const got of receiver.received) {
    expect(isSigned(got, "only we know €")).toBe(true);
    expect(got.headers.get("x-api-key")).toBe("key 7");
    expect(got.headers.get("authorization")).toBe(long);
  }
  const versions = await fixture.call("GET", `${path}/${pipelineId}/versions`, { token: reader });
  const audit = await fixture.call("GET", "/api/audit?limit=50", { token: owner });
  for (const { text } of [versions, audit]) {
    expect(text).not.toContain("only we know");
    expect(text).not.toContain("key 7");
    expect(text).not.toContain("sealed");
  }
});

test("a kept secret does not go to another server, nor one that was never kept, nor a sealed one from outside", async () => {
  start();
  const { pipelineId, steps } = await create({ secret: "only we know" });
  const change = async (step: Record<string, unknown>) =>
    (
      await fixture.call("PATCH", `${path}/${pipelineId}`, {
        token: owner,
        body: { steps: [{ ...steps[0], ...step }] },
      })
    ).status;
  expect(await change({ url: "https://thief.example/" })).toBe(400);
  expect(await change({ secret: { kept: "0123456789abcdef" } })).toBe(400);
  expect(await change({ secret: { sealed: "abc" } })).toBe(400);
  expect(await change({ secret: "x".repeat(300) })).toBe(400);
  expect(await change({ headers: { Authorization: "a\r\nX-Other: b" } })).toBe(400);
  expect(await change({ headers: { Authorization: "käse €" } })).toBe(400);
  expect(await change({ url: `${receiver.url}/elsewhere` })).toBe(200);
});

test("a preview shows what would go out and warns, and sends nothing", async () => {
  start();
  const steps = [
    { type: "scale_keys", keys: ["t"], factor: 2 },
    {
      type: "webhook_forward",
      url: `${receiver.url}/a`,
      secret: "s",
      headers: { Authorization: "Bearer x", "X-A": "b" },
    },
    { type: "webhook_forward", url: "http://[::ffff:169.254.169.254]/latest", includeContext: false },
  ];
  const { body, text } = await fixture.call("POST", `${path}/preview`, {
    token: owner,
    body: { steps, telemetry: { t: 2 }, ts: 5, context: { deviceId: "d", profileId: "p" } },
  });
  expect(body.webhookPreviews).toEqual([
    {
      url: `${receiver.url}/a`,
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: "(secret)",
        "X-A": "b",
        "X-Lineside-Delivery": expect.any(String),
        "X-Lineside-Signature": expect.any(String),
      },
      body: { ts: 5, deviceId: "d", tenantId: expect.any(String), profileId: "p", telemetry: { t: 4 } },
      note: "Nothing was sent.",
    },
    expect.objectContaining({ body: { ts: 5, telemetry: { t: 4 } } }),
  ]);
  expect(body.webhookWarnings).toEqual([
    "webhook_forward (step 2): http is not encrypted; its secret headers can be read on the way",
    expect.stringContaining("nothing would be sent to [::ffff:a9fe:a9fe]: it is a metadata service"),
    "webhook_forward (step 3): http is not encrypted",
    "webhook_forward (step 3): without a secret the receiver cannot tell who sent a request",
  ]);
  expect(text).not.toContain("Bearer x");
  expect(receiver.received).toEqual([]);
  expect(await deliveries()).toEqual([]);
});

test("the gateway does not send to itself, whatever is allowed", async () => {
  start();
  const { pipelineId } = await create({ url: `${fixture.app.url}/api/v1/${device.token}/telemetry` });
  await report({ n: 1 });
  await until(async () => (await read(pipelineId)).webhooks.lastError !== null);
  expect((await read(pipelineId)).webhooks.lastError).toContain("it is this gateway itself");
});
