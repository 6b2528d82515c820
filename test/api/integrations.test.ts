import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
const tokens: Record<"owner" | "admin" | "writer" | "reader" | "limited" | "stranger", string> = {
  owner: "",
  admin: "",
  writer: "",
  reader: "",
  limited: "",
  stranger: "",
};

beforeAll(async () => {
  fixture = await createTestApp();
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.admin = (await fixture.signIn("TENANT_ADMIN")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  const mine = await fixture.createDevice(tokens.owner, { name: "mine" });
  tokens.limited = (await fixture.signIn("TENANT_ADMIN", { devices: [mine.deviceId] })).token;
});
afterAll(() => fixture.stop());

type Who = keyof typeof tokens;
const call = (method: string, path: string, body?: unknown, who: Who = "owner") =>
  fixture.call(method, `/api/integrations${path}`, {
    token: tokens[who],
    ...(body !== undefined && { body }),
  });

async function create(fields: Record<string, unknown> = {}) {
  const response = await call("POST", "", { name: "gate", type: "HTTP", ...fields });
  expect([response.status, response.text]).toEqual([201, expect.any(String)]);
  return response.body;
}

describe("who may do what", () => {
  const body = { name: "row", type: "HTTP" };
  const as = (who: Who) => ({ method: "POST", path: "/api/integrations", token: tokens[who], body });
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous creates none",
        request: () => ({ method: "POST", path: "/api/integrations", body }),
        status: 401,
        answer: "none",
      },
      { name: "a reader creates none", request: () => as("reader"), status: 403, answer: "error" },
      { name: "a writer creates none", request: () => as("writer"), status: 403, answer: "error" },
      {
        name: "an administrator without all devices creates none",
        request: () => as("limited"),
        status: 403,
        answer: "error",
      },
      { name: "an administrator creates one", request: () => as("admin"), status: 201 },
      {
        name: "a reader lists them",
        request: () => ({ method: "GET", path: "/api/integrations", token: tokens.reader }),
        status: 200,
        answer: ({ body: items, headers }) => {
          expect(items.length).toBeGreaterThan(0);
          expect(headers.get("x-total-count")).toBe(String(items.length));
        },
      },
      {
        name: "another tenant sees none",
        request: () => ({ method: "GET", path: "/api/integrations", token: tokens.stranger }),
        status: 200,
        answer: ({ body: items }) => expect(items).toEqual([]),
      },
    ],
  );

  test("whoever may not see all devices reads nothing of what came in", async () => {
    const { integrationId } = await create();
    expect((await call("GET", `/${integrationId}/events`, undefined, "limited")).status).toBe(403);
    expect((await call("GET", `/${integrationId}/events`, undefined, "reader")).status).toBe(200);
  });
});

describe("what is wrong is told", () => {
  const refused: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["a type that there is none of", { name: "x", type: "CARRIER_PIGEON" }, /type/],
    ["no name", { name: " ", type: "HTTP" }, /name/],
    ["a setting that there is none of", { name: "x", type: "HTTP", settings_json: { color: 1 } }, /color/],
    ["MQTT without a broker", { name: "x", type: "MQTT" }, /mqtt/],
    [
      "an address with a password in it",
      { name: "x", type: "MQTT", settings_json: { mqtt: { brokerUrl: "mqtt://a:b@h", topicFilter: "t" } } },
      /own fields/,
    ],
    [
      "a broken topic filter",
      { name: "x", type: "MQTT", settings_json: { mqtt: { brokerUrl: "mqtt://h", topicFilter: "a/#/b" } } },
      /topicFilter/,
    ],
    [
      "a path that is none",
      { name: "x", type: "HTTP", settings_json: { paths: { deviceId: "meta[" } } },
      /paths\.deviceId` is not valid: “meta\[” is not a path\. Write/,
    ],
    [
      "a step that there is none of",
      { name: "x", type: "HTTP", mappingSteps: [{ type: "fold" }] },
      /unknown type fold/,
    ],
    [
      "a step that belongs elsewhere",
      { name: "x", type: "HTTP", mappingSteps: [{ type: "webhook_forward", url: "http://h" }] },
      /in a pipeline only/,
    ],
    [
      "a secret that is to be kept where there is none",
      { name: "x", type: "CHIRPSTACK", settings_json: { downlink: { apiKey: { kept: true } } } },
      /no stored value to keep/,
    ],
  ];
  test.each(refused)("%s", async (_, body, message) => {
    const response = await call("POST", "", body);
    expect([response.status, response.body.message]).toEqual([400, expect.stringMatching(message)]);
  });
});

describe("an integration's life", () => {
  const mqtt = { mqtt: { brokerUrl: "mqtt://broker.invalid", topicFilter: "t/#" } };

  test("the first running one of a type is the default, and another one takes its place on request", async () => {
    const first = await create({ type: "THE_THINGS_STACK", name: "first", status: "active" });
    const second = await create({ type: "THE_THINGS_STACK", name: "second", status: "active" });
    expect([first.isDefault, second.isDefault]).toEqual([true, false]);
    const apiResponse = await call("POST", `/${second.integrationId}/set-default`);
    expect([apiResponse.status, apiResponse.body.isDefault]).toEqual([200, true]);
    expect((await call("GET", `/${first.integrationId}`)).body.isDefault).toBe(false);
  });

  test("a draft becomes the default only once it is started", async () => {
    const draft = await create({ type: "MQTT", name: "draft", settings_json: mqtt });
    expect(draft.isDefault).toBe(false);
    const refused = await call("POST", `/${draft.integrationId}/set-default`);
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("Start it first")]);
    const paused = await create({ type: "MQTT", name: "paused", status: "paused", settings_json: mqtt });
    expect(paused.isDefault).toBe(false);
    for (const status of ["draft", "paused"]) {
      const body = { name: status, type: "MQTT", status, isDefault: true, settings_json: mqtt };
      expect((await call("POST", "", body)).status).toBe(409);
    }
    expect((await call("POST", `/${draft.integrationId}/start`)).body.isDefault).toBe(true);
    expect((await call("POST", `/${paused.integrationId}/start`)).body.isDefault).toBe(false);
    expect((await call("POST", `/${draft.integrationId}/pause`)).body.isDefault).toBe(true);
  });

  test("an integration that nothing can be posted to yet says that the webhook secret is missing", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "no secret" });
    const as = (method: string, path: string, body?: unknown) =>
      fixture.call(method, path, { token, ...(body !== undefined && { body }) });
    const missingOf = async (fields: object) =>
      (await as("POST", "/api/integrations", { name: "x", status: "active", ...fields })).body.missing;
    expect(await missingOf({ type: "HTTP" })).toBe("WEBHOOK_SECRET");
    expect(await missingOf({ type: "MQTT", settings_json: mqtt })).toBeNull();
    expect(await missingOf({ type: "CHIRPSTACK", settings_json: mqtt })).toBeNull();
    await as("POST", "/api/tenant/integration/rotate-secret");
    const { body } = await as("GET", "/api/integrations");
    expect(body.map(({ missing }: { missing: unknown }) => missing)).toEqual([null, null, null]);
  });

  test("it is started, paused, changed and deleted; its type stays", async () => {
    const { integrationId, status } = await create();
    expect(status).toBe("draft");
    expect((await call("POST", `/${integrationId}/start`)).body.status).toBe("active");
    expect((await call("POST", `/${integrationId}/pause`)).body.status).toBe("paused");
    expect((await call("PATCH", `/${integrationId}`, { type: "MQTT" })).status).toBe(400);
    expect((await call("PATCH", `/${integrationId}`, { name: "other" })).body.name).toBe("other");
    expect((await call("DELETE", `/${integrationId}`)).body).toEqual({ success: true });
    expect((await call("GET", `/${integrationId}`)).status).toBe(404);
  });

  test("a change of settings leaves the parts alone that it does not name, and null takes one away", async () => {
    const { integrationId } = await create({
      settings_json: { autoCreateDevice: true, radioPrefix: "r_" },
    });
    const changed = await call("PATCH", `/${integrationId}`, {
      settings_json: { radioPrefix: null, deviceType: "meter" },
    });
    expect(changed.body.settings_json).toEqual({ autoCreateDevice: true, deviceType: "meter" });
  });

  test("secrets are never told again, are kept where that is asked for, and never go to another server", async () => {
    const settings = { downlink: { url: "https://ns.example", apiKey: "a-very-secret-key" } };
    const created = await create({ type: "CHIRPSTACK", settings_json: settings });
    expect(JSON.stringify(created)).not.toContain("a-very-secret-key");
    expect(created.settings_json.downlink).toEqual({ url: "https://ns.example", apiKey: { kept: true } });
    const kept = { ...created.settings_json.downlink, fPort: 7 };
    const changed = await call("PATCH", `/${created.integrationId}`, { settings_json: { downlink: kept } });
    expect(changed.body.settings_json.downlink).toEqual({ ...kept });
    const moved = { ...kept, url: "https://evil.example" };
    const refused = await call("PATCH", `/${created.integrationId}`, { settings_json: { downlink: moved } });
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining("another server")]);
  });
});

describe("a script that cannot be run", () => {
  const settingsOf = (source: string, enabled = true) => ({ scriptTransform: { enabled, source } });
  test.each([
    ["cannot be parsed", "function transform(m) {", true, /line \d+ of the source|the source/],
    ["cannot be parsed, and is switched off", "function transform(m) {", false, /of the source|the source/],
    ["throws when it is loaded", "nothing.here();", true, /nothing/],
    ["defines nothing that is called", "const a = 1;", true, /must define one/],
  ] as const)("is refused when it %s", async (_, source, enabled, message) => {
    const settings_json = settingsOf(source, enabled);
    const created = await call("POST", "", { name: "scripted", type: "HTTP", settings_json });
    expect([created.status, created.body.message]).toEqual([400, expect.stringMatching(message)]);
    const { integrationId } = await create();
    const changed = await call("PATCH", `/${integrationId}`, { settings_json });
    expect([changed.status, changed.body.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await call("GET", `/${integrationId}`)).body.settings_json).toEqual({});
  });

  test("is refused in the library of codecs too", async () => {
    const body = { name: "broken", source: "function decodeUplink(" };
    expect((await call("POST", "/codecs", body)).status).toBe(400);
  });

  test("does not hide who may not change integrations", async () => {
    const body = { name: "x", type: "HTTP", settings_json: settingsOf("}") };
    expect((await call("POST", "", body, "limited")).status).toBe(403);
  });

  test("an empty one is none", async () => {
    expect((await create({ settings_json: settingsOf(" ") })).settings_json.scriptTransform.source).toBe(" ");
  });
});

describe("preview", () => {
  test("shows each stage and stores nothing", async () => {
    const before = (await fixture.call("GET", "/api/devices", { token: tokens.owner })).body.length;
    const { status, body } = await call("POST", "/preview", {
      type: "HTTP",
      settings_json: {
        autoCreateDevice: true,
        scriptTransform: {
          enabled: true,
          source: "function transform(m) { console.log('seen', m.temp); return { temp: m.temp * 2 } }",
        },
      },
      mappingSteps: [{ type: "rename_keys", mapping: { t: "temp" } }],
      payload: { externalDeviceId: "unheard-of", ts: 1_750_000_000_000, telemetry: { t: 21 } },
    });
    expect([status, body.errors]).toEqual([200, []]);
    expect(body.trace).toEqual([{ step: "rename_keys", in: { t: 21 }, out: { temp: 21 } }]);
    expect(body.scripts).toMatchObject([{ value: { temp: 42 }, console: [{ text: "seen 21" }] }]);
    expect(body.results).toMatchObject([
      { device: { isNew: true }, readings: [{ ts: 1_750_000_000_000, values: { temp: 42 } }] },
    ]);
    expect((await fixture.call("GET", "/api/devices", { token: tokens.owner })).body.length).toBe(before);
  });

  test("tries changes of an integration that there is, with what it keeps, and finds the device in a topic", async () => {
    const { integrationId } = await create({
      type: "MQTT",
      settings_json: {
        autoCreateDevice: true,
        mqtt: {
          brokerUrl: "mqtt://broker.example",
          topicFilter: "plant/#",
          topicTemplate: "plant/{device}/up",
          credentials: { username: "u", password: "p" },
        },
      },
      mappingSteps: [{ type: "scale_keys", keys: ["t"], factor: 2 }],
    });
    const source =
      "function transform(m) {\n  console.log(m.t);\n  return m.t > 50 ? missing : { ...m, ok: true };\n}";
    const changes = { scriptTransform: { enabled: true, source } };
    const input = { integrationId, type: "MQTT", settings_json: changes, topic: "plant/oven 1/up" };
    const { status, body } = await call("POST", "/preview", { ...input, payload: { t: 20 } });
    expect([status, body.errors]).toEqual([200, []]);
    expect(body.results).toMatchObject([
      { device: { reference: { externalId: "oven 1" } }, readings: [{ values: { t: 40, ok: true } }] },
    ]);
    const failed = await call("POST", "/preview", { ...input, payload: { t: 30 }, mappingSteps: [] });
    expect(failed.body.results).toMatchObject([{ readings: [{ values: { t: 30, ok: true } }] }]);
    const wrong = await call("POST", "/preview", { ...input, payload: { t: 30 } });
    expect(wrong.body.errors).toMatchObject([{ stage: "script", line: 3 }]);
    expect(wrong.body.scripts).toMatchObject([{ value: null, console: [{ text: "60" }] }]);
    const { settings_json } = (await call("GET", `/${integrationId}`)).body;
    expect(settings_json.scriptTransform).toBeUndefined();
    expect((await call("POST", "/preview", { ...input, payload: {} }, "stranger")).status).toBe(404);
  });

  test("names the stage that fails", async () => {
    const unknown = await call("POST", "/preview", {
      type: "HTTP",
      payload: { externalDeviceId: "nobody", a: 1 },
    });
    expect([unknown.body.success, unknown.body.errors[0].stage]).toEqual([false, "resolution"]);
    const broken = await call("POST", "/preview", {
      type: "CHIRPSTACK",
      payload: { deviceInfo: { devEui: "no hex" } },
      event: "up",
    });
    expect([broken.body.success, broken.body.errors[0].stage]).toEqual([false, "adapter"]);
    const script = { enabled: true, source: "function transform() { throw new Error('on purpose') }" };
    const thrown = await call("POST", "/preview", {
      type: "HTTP",
      settings_json: { scriptTransform: script, autoCreateDevice: true },
      payload: { externalDeviceId: "a", b: 1 },
    });
    expect(thrown.body.errors).toEqual([
      {
        stage: "script",
        message: "The script failed: Error: on purpose.",
        code: "script.error",
        params: expect.any(Object),
        line: 1,
      },
    ]);
  });
});
