import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Encoder } from "cbor-x";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let token: string;
let tenantId: string;
let secret: string;
let stranger: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const owner = await fixture.signIn("TENANT_OWNER");
  token = owner.token;
  tenantId = owner.user.tenantId ?? "";
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  secret = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token })).body.secret;
});
afterAll(() => fixture.stop());

const api = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token, ...(body !== undefined && { body }) });

async function integration(fields: Record<string, unknown> = {}) {
  const settings_json = { autoCreateDevice: true, ...(fields.settings_json as object) };
  const apiAnswer = await api("POST", "/api/integrations", {
    name: "hook",
    type: "HTTP",
    status: "active",
    ...fields,
    settings_json,
  });
  expect([apiAnswer.status, apiAnswer.text]).toEqual([201, expect.any(String)]);
  return apiAnswer.body.integrationId as string;
}

interface Posted {
  readonly kind?: string;
  readonly id?: string | undefined;
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly headers?: Record<string, string>;
  readonly query?: string;
}
const post = ({ kind = "generic", id, body, raw, headers, query = "" }: Posted) =>
  fixture.call("POST", `/api/v1/integrations/${kind}/${id === undefined ? "" : `${id}/`}telemetry${query}`, {
    ...(raw === undefined ? { body } : { raw }),
    headers: { "x-tenant-id": tenantId, "x-webhook-secret": secret, ...headers },
  });
const eventsOf = async (id: string, query = "") =>
  (await api("GET", `/api/integrations/${id}/events${query}`)).body;
async function latestOf(name: string) {
  const [device] = (await api("GET", `/api/devices?search=${encodeURIComponent(name)}`)).body;
  return (await api("GET", `/api/devices/${device.deviceId}/telemetry/latest`)).body.values;
}

const profileOf = async (who: string) =>
  (await fixture.call("GET", "/api/tenant/integration", { token: who })).body;

const eui = (n: number) => n.toString(16).padStart(16, "0");
let counter = 0xa0;
const uplink = (fields: Record<string, unknown> = {}) => ({
  deduplicationId: crypto.randomUUID(),
  time: "2026-01-05T10:00:00Z",
  deviceInfo: { deviceName: `node ${++counter}`, devEui: eui(counter), deviceProfileName: "probe" },
  fCnt: 3,
  fPort: 2,
  data: "AQID",
  object: { temperature: 20.5 },
  rxInfo: [{ gatewayId: "0016c001f153a14c", rssi: -70, snr: 9.5 }],
  txInfo: { frequency: 868_100_000, modulation: { lora: { spreadingFactor: 7, bandwidth: 125_000 } } },
  ...fields,
});

describe("who may post", () => {
  const message = { externalDeviceId: "who", telemetry: { a: 1 } };
  test.each([
    ["the secret in its own header", { "x-webhook-secret": "S" }, 200],
    ["the secret as a bearer", { "x-webhook-secret": "", authorization: "Bearer S" }, 200],
    ["no secret", { "x-webhook-secret": "" }, 400],
    ["a wrong secret", { "x-webhook-secret": "wrong" }, 400],
    ["another tenant", { "x-webhook-secret": "S", "x-tenant-id": "no-such-tenant" }, 400],
  ] as const)("%s", async (_, headers, status) => {
    const id = await integration();
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace(/S$/, secret)]),
    );
    const answer = await post({ id, body: message, headers: filled });
    expect([answer.status, answer.body.success ?? answer.body.statusCode]).toEqual([
      status,
      status === 200 ? true : 400,
    ]);
  });

  test("the tenant may stand in the query; without any it is said", async () => {
    await integration();
    const bare = { "x-tenant-id": "" };
    const byQuery = await fixture.call(
      "POST",
      `/api/v1/integrations/generic/telemetry?tenantId=${tenantId}`,
      {
        body: { deviceToken: (await fixture.createDevice(token)).token, telemetry: { a: 1 } },
        headers: { "x-webhook-secret": secret },
      },
    );
    expect(byQuery.status).toBe(200);
    const missing = await post({ body: message, headers: bare });
    expect([missing.status, missing.body.message]).toEqual([400, expect.stringContaining("x-tenant-id")]);
  });

  test("the body names the tenant to the generic address, together with the external id", async () => {
    await integration({ isDefault: true });
    const body = { externalDeviceId: "by body", tenantId, telemetry: { a: 1 } };
    const headers = { "x-tenant-id": "" };
    const taken = await post({ body, headers });
    expect([taken.status, taken.body.success]).toEqual([200, true]);
    expect(await latestOf("by body")).toEqual({ a: 1 });
    const elsewhere = { ...body, tenantId: (await profileOf(stranger)).tenantId };
    expect((await post({ body: elsewhere, headers })).status).toBe(400);
    expect((await post({ body, headers: { ...headers, "x-webhook-secret": "" } })).status).toBe(400);
    const lorawan = { ...uplink(), tenantId };
    expect((await post({ kind: "lorawan-a", body: lorawan, headers })).status).toBe(400);
    // The header decides where both name a tenant.
    expect((await post({ body: elsewhere })).status).toBe(200);
  });

  test("a device's own token stands for the secret with network servers, not with the generic address", async () => {
    const device = await fixture.createDevice(token);
    const none = { "x-webhook-secret": "", "x-tenant-id": tenantId };
    const body = { ...uplink(), deviceToken: device.token };
    expect((await post({ kind: "lorawan-a", query: "?event=up", body, headers: none })).status).toBe(200);
    const generic = await post({ body: { deviceToken: device.token, telemetry: { a: 1 } }, headers: none });
    expect(generic.status).toBe(400);
    const wrong = await post({
      kind: "lorawan-a",
      query: "?event=up",
      body: { ...body, deviceToken: "no" },
      headers: none,
    });
    expect(wrong.status).toBe(400);
  });

  test("another tenant's integration does not exist, and one of another kind neither", async () => {
    const id = await integration();
    const theirs = (await fixture.call("POST", "/api/tenant/integration/rotate-secret", { token: stranger }))
      .body;
    const profile = (await fixture.call("GET", "/api/tenant/integration", { token: stranger })).body;
    const headers = { "x-webhook-secret": theirs.secret, "x-tenant-id": profile.tenantId };
    expect((await post({ id, body: message, headers })).status).toBe(404);
    expect((await post({ id, kind: "lorawan-a", body: message })).status).toBe(404);
  });

  test("one that is not switched on takes nothing", async () => {
    const id = await integration({ status: "paused" });
    expect((await post({ id, body: message })).status).toBe(400);
    expect(await eventsOf(id)).toEqual([]);
  });
});

describe("bodies that cannot be read", () => {
  let id: string;
  beforeEach(async () => {
    id = await integration();
  });
  test.each([
    ["no JSON", "{", "application/json", 400],
    ["no content type that is known", "a=1", "text/plain", 400],
    ["nothing", "", "application/json", 400],
    ["too much", `{"externalDeviceId":"a","x":"${"y".repeat(300_000)}"}`, "application/json", 413],
    ["no device", '{"telemetry":{"a":1}}', "application/json", 400],
    ["no values", '{"externalDeviceId":"a"}', "application/json", 400],
    ["nothing in it", "{}", "application/json", 400],
    ["a value that is none", '{"externalDeviceId":"a","telemetry":{"a":1e999}}', "application/json", 400],
    ["a time to come", '{"externalDeviceId":"a","ts":99999999999999,"a":1}', "application/json", 400],
    [
      "nested too deeply",
      `{"externalDeviceId":"a","a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
      "application/json",
      400,
    ],
    ["an endless id", `{"externalDeviceId":"${"y".repeat(300)}","a":1}`, "application/json", 400],
  ] as const)("%s", async (_, raw, type, status) => {
    const answer = await post({ id, raw, headers: { "content-type": type } });
    expect([answer.status, answer.body.statusCode]).toEqual([status, status]);
  });

  test("what is nested too deeply, or large, is still listed and read", async () => {
    const deep = `{"externalDeviceId":"a","a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    const headers = { "content-type": "application/json" };
    await post({ id, raw: deep, headers });
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      status: "ERROR",
      stage: "adapter",
      message: expect.stringContaining("deep"),
    });
    expect(event.payload.length).toBeLessThan(10_000);
    const whole = await api("GET", `/api/integrations/${id}/events/${event.eventId}`);
    expect(whole.body.payload).toBe(deep);
    const base64 = Buffer.from(deep).toString("base64");
    const previewed = await api("POST", "/api/integrations/preview", { type: "HTTP", payloadBase64: base64 });
    expect([previewed.status, previewed.body.message]).toEqual([400, expect.stringContaining("deep")]);
  });

  test("what was refused with its secret right is listed with the stage, and can be worked on again", async () => {
    const paused = await integration({ settings_json: { autoCreateDevice: false } });
    const refused = await post({ id: paused, body: { externalDeviceId: "later", telemetry: { a: 5 } } });
    expect(refused.status).toBe(400);
    const [event] = await eventsOf(paused);
    expect(event).toMatchObject({
      status: "ERROR",
      stage: "resolution",
      replayable: true,
      payload: { externalDeviceId: "later" },
    });
    await api("PATCH", `/api/integrations/${paused}`, { settings_json: { autoCreateDevice: true } });
    const again = await api("POST", `/api/integrations/${paused}/events/${event.eventId}/replay`);
    expect([again.status, again.body.status]).toEqual([200, "OK"]);
    expect(await latestOf("later")).toEqual({ a: 5 });
    expect((await api("POST", `/api/integrations/${paused}/events/replay`)).body).toEqual({
      stored: 0,
      failed: 0,
    });
  });
});

describe("messages", () => {
  test("CBOR is read as JSON is, and the answer comes when the values are there", async () => {
    const id = await integration();
    const raw = new Encoder({ useRecords: false }).encode({
      externalDeviceId: "cbor",
      telemetry: { a: 1.5 },
    });
    const answer = await post({ id, raw, headers: { "content-type": "application/cbor" } });
    expect(answer.body).toMatchObject({ success: true, eventId: expect.any(String) });
    expect(await latestOf("cbor")).toEqual({ a: 1.5 });
  });

  test("one message may make hundreds of devices; what one of them says wrong costs the others nothing", async () => {
    const id = await integration();
    const many = Array.from({ length: 300 }, (_, n) => ({ externalDeviceId: `many-${n}`, a: n }));
    const wrong = { externalDeviceId: "many-wrong", telemetry: { a: [Number.NaN] } };
    const raw = JSON.stringify([...many, wrong]).replace("null", "1e999");
    const answer = await post({ id, raw, headers: { "content-type": "application/json" } });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("infinite numbers")]);
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      status: "ERROR",
      message: expect.stringContaining("1 of 301 parts failed"),
    });
    const apiAnswer = await api("GET", "/api/devices?search=many-");
    expect(apiAnswer.headers.get("x-total-count")).toBe("300");
    expect(await latestOf("many-299")).toEqual({ a: 299 });
  });

  test("a gateway speaks for its children, whom it makes; a device that is none speaks for nobody", async () => {
    const id = await integration();
    const gateway = await fixture.createDevice(token, { name: "relay", role: "GATEWAY" });
    const body = { deviceToken: gateway.token, childDeviceId: "limb", telemetry: { b: 2 } };
    expect((await post({ id, body })).status).toBe(200);
    expect(await latestOf("limb")).toEqual({ b: 2 });
    const device = await fixture.createDevice(token);
    expect((await post({ id, body: { ...body, deviceToken: device.token } })).status).toBe(400);
  });

  test("an uplink of ChirpStack makes its device, with radio data under the prefix; the same one again changes nothing", async () => {
    const id = await integration({ type: "CHIRPSTACK", settings_json: { radioPrefix: "lora_" } });
    const body = uplink();
    expect((await post({ kind: "lorawan-a", id, body, query: "?event=up" })).status).toBe(200);
    expect((await post({ kind: "lorawan-a", id, body, query: "?event=up" })).status).toBe(200);
    const values = await latestOf(body.deviceInfo.deviceName);
    expect(values).toMatchObject({ temperature: 20.5, lora_rssi: -70, lora_snr: 9.5, lora_fPort: 2 });
    const [second, first] = await eventsOf(id);
    expect([first.status, second.status]).toEqual(["OK", "DROPPED"]);
    const [device] = (
      await api("GET", `/api/devices?search=${encodeURIComponent(body.deviceInfo.deviceName)}`)
    ).body;
    expect((await api("GET", `/api/devices/${device.deviceId}`)).body.lorawanDevEui).toBe(
      body.deviceInfo.devEui,
    );
  });

  test("the same message many times at once is stored once", async () => {
    const id = await integration({ type: "CHIRPSTACK" });
    const body = uplink();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post({ kind: "lorawan-a", id, body, query: "?event=up" })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const statuses = (await eventsOf(id)).map(({ status }: { status: string }) => status);
    expect(statuses.filter((status: string) => status === "OK")).toHaveLength(1);
  });

  test("a vendor's codec decodes frames; what it cannot decode is kept, and decoded once it is mended", async () => {
    const codec = (offset: number) =>
      `function decodeUplink(input) { if (input.bytes.length < ${offset}) return { errors: ["too short"] }; return { data: { t: input.bytes[0] } }; }`;
    const script = (source: string) => ({ scriptTransform: { enabled: true, source } });
    const id = await integration({ type: "CHIRPSTACK", settings_json: script(codec(10)) });
    const { object: _, ...body } = uplink();
    const answer = await post({ kind: "lorawan-a", id, body, query: "?event=up" });
    expect(answer.status).toBe(200);
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      status: "ERROR",
      stage: "script",
      message: expect.stringContaining("too short"),
    });
    await api("PATCH", `/api/integrations/${id}`, { settings_json: script(codec(1)) });
    expect((await api("POST", `/api/integrations/${id}/events/replay`)).body).toEqual({
      stored: 1,
      failed: 0,
    });
    expect(await latestOf(body.deviceInfo.deviceName)).toMatchObject({ t: 1 });
  });

  test("a step and a script let messages go", async () => {
    const dropping = { type: "conditional_drop", condition: { key: "a", op: "GT", value: 5 } };
    const id = await integration({
      mappingSteps: [dropping],
      settings_json: {
        scriptTransform: { enabled: true, source: "function transform(m) { return m.a === 3 ? null : m }" },
      },
    });
    for (const a of [9, 3, 1]) await post({ id, body: { externalDeviceId: "drops", telemetry: { a } } });
    const events = await eventsOf(id);
    expect(
      events.map(({ status, stage }: { status: string; stage: string }) => `${status} ${stage}`),
    ).toEqual(["OK ingest", "DROPPED script", "DROPPED mapping"]);
    const { stats } = (await api("GET", `/api/integrations/${id}`)).body;
    expect(stats).toMatchObject({ received: 3, stored: 1, dropped: 2, failed: 0 });
  });

  test("stores an uplink of ChirpStack that names no event in its address", async () => {
    await integration({ type: "CHIRPSTACK", isDefault: true });
    const device = await fixture.createDevice(token, { name: "no event", lorawanDevEui: eui(0xe0) });
    const byEui = await post({
      kind: "lorawan-a",
      body: { deviceInfo: { devEui: eui(0xe0) }, object: { temperature: 21.5 } },
    });
    expect([byEui.status, byEui.body.success]).toEqual([200, true]);
    expect(await latestOf("no event")).toEqual({ temperature: 21.5 });
    const body = { deviceToken: device.token, object: { humidity: 40 } };
    const byToken = await post({ kind: "lorawan-a", body, headers: { "x-webhook-secret": "" } });
    expect([byToken.status, byToken.body.success]).toEqual([200, true]);
    expect(await latestOf("no event")).toEqual({ temperature: 21.5, humidity: 40 });
  });

  test("without a default integration the address of a kind makes one, which lists what comes", async () => {
    const owner = await fixture.signIn("TENANT_OWNER", { tenant: "three" });
    const apiAnswer = await fixture.call("POST", "/api/tenant/integration/rotate-secret", {
      token: owner.token,
    });
    const answer = await fixture.call("POST", "/api/v1/integrations/lorawan-b/telemetry", {
      headers: { authorization: `Bearer ${apiAnswer.body.secret}`, "x-tenant-id": owner.user.tenantId ?? "" },
      body: {
        end_device_ids: { device_id: "d", dev_eui: "00000000000000FF" },
        received_at: "2026-01-05T10:00:00Z",
        uplink_message: { f_port: 1, frm_payload: "AQ==" },
      },
    });
    expect(answer.status).toBe(400);
    const [item] = (await fixture.call("GET", "/api/integrations", { token: owner.token })).body;
    expect(item).toMatchObject({
      type: "THE_THINGS_STACK",
      status: "active",
      isDefault: true,
      stats: { failed: 1 },
    });
  });
});

test.each([
  ["generic", "HTTP", { externalDeviceId: "still", telemetry: { a: 1 } }],
  ["lorawan-a", "CHIRPSTACK", uplink()],
])(
  "the address of %s keeps working when a draft or a paused integration is created",
  async (kind, type, body) => {
    const { token: own, user } = await fixture.signIn("TENANT_OWNER", { tenant: `drafts ${kind}` });
    const as = (method: string, path: string, sent?: unknown) =>
      fixture.call(method, path, { token: own, ...(sent !== undefined && { body: sent }) });
    const rotated = await as("POST", "/api/tenant/integration/rotate-secret");
    const headers = { "x-tenant-id": user.tenantId ?? "", "x-webhook-secret": rotated.body.secret };
    const statusOf = async () =>
      (await fixture.call("POST", `/api/v1/integrations/${kind}/telemetry`, { body, headers })).status;
    for (const status of ["draft", "paused"])
      expect((await as("POST", "/api/integrations", { name: status, type, status })).status).toBe(201);
    // The integration that the address makes creates no devices until it is told to.
    expect(await statusOf()).toBe(400);
    const { body: all } = await as("GET", `/api/integrations?type=${type}`);
    const running = all.filter(({ isDefault }: { isDefault: boolean }) => isDefault);
    expect(running).toEqual([expect.objectContaining({ status: "active" })]);
    await as("PATCH", `/api/integrations/${running[0].integrationId}`, {
      settings_json: { autoCreateDevice: true },
    });
    expect(await statusOf()).toBe(200);
    await as("POST", "/api/integrations", { name: "later", type });
    expect(await statusOf()).toBe(200);
  },
);

test("the oldest running integration of a type takes over when the default is deleted", async () => {
  const { token: own, user } = await fixture.signIn("TENANT_OWNER", { tenant: "takeover" });
  const as = (method: string, path: string, sent?: unknown) =>
    fixture.call(method, path, { token: own, ...(sent !== undefined && { body: sent }) });
  const rotated = await as("POST", "/api/tenant/integration/rotate-secret");
  const headers = { "x-tenant-id": user.tenantId ?? "", "x-webhook-secret": rotated.body.secret };
  const running = { type: "HTTP", status: "active", settings_json: { autoCreateDevice: true } };
  const ids: Record<string, string> = {};
  for (const [name, status] of [
    ["first", "active"],
    ["draft", "draft"],
    ["second", "active"],
    ["third", "active"],
  ] as const)
    ids[name] = (await as("POST", "/api/integrations", { ...running, name, status })).body.integrationId;
  const defaults = async () =>
    (await as("GET", "/api/integrations")).body
      .filter(({ isDefault }: { isDefault: boolean }) => isDefault)
      .map(({ name }: { name: string }) => name);
  expect(await defaults()).toEqual(["first"]);
  await as("DELETE", `/api/integrations/${ids.first}`);
  expect(await defaults()).toEqual(["second"]);
  const sent = await fixture.call("POST", "/api/v1/integrations/generic/telemetry", {
    headers,
    body: { externalDeviceId: "taken-over", telemetry: { a: 1 } },
  });
  expect(sent.status).toBe(200);
  expect((await as("GET", `/api/integrations/${ids.second}`)).body.stats.stored).toBe(1);
  await as("DELETE", `/api/integrations/${ids.third}`);
  expect(await defaults()).toEqual(["second"]);
  expect((await as("GET", "/api/integrations")).body).toHaveLength(2);
});

test("the tenant's webhooks are listed: those of the kinds, and each integration's own", async () => {
  const id = await integration({ name: "listed", type: "CHIRPSTACK" });
  const { webhooks } = (await api("GET", "/api/tenant/integration")).body;
  expect(webhooks).toContainEqual({
    kind: "generic",
    url: `${fixture.app.url}/api/v1/integrations/generic/telemetry`,
  });
  const own = webhooks.find(({ integrationId }: { integrationId?: string }) => integrationId === id);
  expect(own).toMatchObject({ kind: "lorawan-a", name: "listed" });
  const answer = await fetch(`${own.url}?event=up`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-webhook-secret": secret },
    body: JSON.stringify(uplink()),
  });
  expect(answer.status).toBe(200);
});

test("wrong secrets from one address are slowed down, and say when to come again", async () => {
  const other = await createTestApp();
  const headers = { "x-tenant-id": tenantId, "x-webhook-secret": "guess" };
  const body = { externalDeviceId: "x", a: 1 };
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) {
    const answer = await other.call("POST", "/api/v1/integrations/generic/telemetry", { headers, body });
    statuses.push(answer.status);
    if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  await other.stop();
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
});
