import { describe, expect, test } from "bun:test";
import { Encoder } from "cbor-x";
import {
  api,
  eui,
  eventsOf,
  fixture,
  integration,
  latestOf,
  post,
  token,
  uplink,
  useWebhooks,
} from "./webhooks-fixture.ts";

useWebhooks();

describe("messages", () => {
  test("CBOR is read as JSON is, and the answer comes when the values are there", async () => {
    const id = await integration();
    const raw = new Encoder({ useRecords: false }).encode({
      externalDeviceId: "cbor",
      telemetry: { a: 1.5 },
    });
    const response = await post({ id, raw, headers: { "content-type": "application/cbor" } });
    expect(response.body).toMatchObject({ success: true, eventId: expect.any(String) });
    expect(await latestOf("cbor")).toEqual({ a: 1.5 });
  });

  test("a reading that is two days ahead of the gateway's clock is kept until it is due", async () => {
    const id = await integration();
    const body = { externalDeviceId: "early", ts: Date.now() + 2 * 86_400_000, values: { a: 1 } };
    expect((await post({ id, body })).status).toBe(200);
    const [device] = (await api("GET", "/api/devices?search=early")).body;
    expect((await api("GET", `/api/devices/${device.deviceId}/held-readings`)).body).toMatchObject({
      messages: 1,
    });
    expect(await latestOf("early")).toEqual({});
  });

  test("one message may create hundreds of devices; an error in one part costs the others nothing", async () => {
    const id = await integration();
    const many = Array.from({ length: 300 }, (_, n) => ({ externalDeviceId: `many-${n}`, a: n }));
    const wrong = { externalDeviceId: "many-wrong", telemetry: { a: [Number.NaN] } };
    const raw = JSON.stringify([...many, wrong]).replace("null", "1e999");
    const response = await post({ id, raw, headers: { "content-type": "application/json" } });
    expect([response.status, response.body.message]).toEqual([
      400,
      expect.stringContaining("infinite numbers"),
    ]);
    const [event] = await eventsOf(id);
    expect(event).toMatchObject({
      status: "ERROR",
      message: expect.stringContaining("Failed parts: 1 of 301."),
    });
    const apiResponse = await api("GET", "/api/devices?search=many-");
    expect(apiResponse.headers.get("x-total-count")).toBe("300");
    expect(await latestOf("many-299")).toEqual({ a: 299 });
  });

  test("a gateway sends for its children, which it creates; a device that is no gateway sends for itself only", async () => {
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
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => post({ kind: "lorawan-a", id, body, query: "?event=up" })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const statuses = (await eventsOf(id)).map(({ status }: { status: string }) => status);
    expect(statuses.filter((status: string) => status === "OK")).toHaveLength(1);
  });

  test("a vendor's codec decodes frames; what it cannot decode is kept, and decoded once it is mended", async () => {
    const codec = (offset: number) =>
      `function decodeUplink(input) { if (input.bytes.length < ${offset}) return { errors: ["too short"] }; return { data: { t: input.bytes[0] } }; }`;
    const script = (source: string) => ({ scriptTransform: { enabled: true, source } });
    const id = await integration({ type: "CHIRPSTACK", settings_json: script(codec(10)) });
    const { object: _, ...body } = uplink();
    const response = await post({ kind: "lorawan-a", id, body, query: "?event=up" });
    expect(response.status).toBe(200);
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

  test("a step and a script drop messages", async () => {
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

  test("without a default integration the address of a kind creates one, which lists messages", async () => {
    const owner = await fixture.signIn("TENANT_OWNER", { tenant: "three" });
    const apiResponse = await fixture.call("POST", "/api/tenant/integration/rotate-secret", {
      token: owner.token,
    });
    const response = await fixture.call("POST", "/api/v1/integrations/lorawan-b/telemetry", {
      headers: {
        authorization: `Bearer ${apiResponse.body.secret}`,
        "x-tenant-id": owner.user.tenantId ?? "",
      },
      body: {
        end_device_ids: { device_id: "d", dev_eui: "00000000000000FF" },
        received_at: "2026-01-05T10:00:00Z",
        uplink_message: { f_port: 1, frm_payload: "AQ==" },
      },
    });
    expect(response.status).toBe(400);
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
