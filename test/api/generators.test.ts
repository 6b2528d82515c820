import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { apiRows } from "../support/api-rows.ts";
import { FakeClock } from "../support/fake-clock.ts";
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
let mine: { deviceId: string; token: string };
let other: { deviceId: string; token: string };
let strange: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  tokens.owner = (await fixture.signIn("TENANT_OWNER")).token;
  tokens.admin = (await fixture.signIn("TENANT_ADMIN")).token;
  tokens.writer = (await fixture.signIn("TENANT_RW")).token;
  tokens.reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  tokens.stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  mine = await fixture.createDevice(tokens.owner, { name: "mine" });
  other = await fixture.createDevice(tokens.owner, { name: "other" });
  strange = await fixture.createDevice(tokens.stranger, { name: "strange" });
  tokens.limited = (await fixture.signIn("TENANT_RW", { devices: [mine.deviceId] })).token;
});
afterAll(() => fixture.stop());

type Who = keyof typeof tokens;
const metrics = [{ key: "temperature", min: 20, max: 25 }];
const config = { intervalSeconds: 3_600, metrics };
const call = (method: string, path: string, body?: unknown, who: Who = "owner", app = fixture) =>
  app.call(method, `/api/rule-chains${path}`, { token: tokens[who], ...(body !== undefined && { body }) });
const bodyOf = (fields: Record<string, unknown> = {}) => ({
  name: "demo",
  type: "data_generator",
  enabled: true,
  status: "draft",
  config,
  ...fields,
});

async function create(fields: Record<string, unknown> = {}, who: Who = "owner") {
  const answer = await call("POST", "", bodyOf(fields), who);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}

/** Waits until a device has a value of a key. */
async function latestOf(deviceId: string, key: string, app = fixture, token = tokens.owner) {
  for (;;) {
    const { body } = await app.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token });
    if (body.values?.[key] !== undefined) return body.values[key];
  }
}

describe("the lifecycle of a generator", () => {
  test("it is a draft, is started, paused, started again and deleted; its device stays", async () => {
    const draft = await create({ name: "boiler", description: "for the demo" });
    expect(draft).toEqual({
      id: expect.any(String),
      name: "boiler",
      description: "for the demo",
      type: "data_generator",
      enabled: true,
      status: "draft",
      config,
      tenantId: expect.any(String),
      devices: [],
      deviceCount: 0,
      hiddenDevices: 0,
      readings: 0,
      refused: 0,
      lastReadingAt: null,
      lastError: null,
      lastErrorText: null,
      lastErrorAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect((await call("GET", `/${draft.id}`)).body).toEqual(draft);
    const started = await call("POST", `/${draft.id}/start`);
    expect(started.body).toMatchObject({ status: "active", enabled: true, deviceCount: 1, config });
    const [device] = started.body.devices;
    expect(device.name).toBe("boiler");
    const value = await latestOf(device.deviceId, "temperature");
    expect(value).toBeGreaterThanOrEqual(20);
    expect(value).toBeLessThanOrEqual(25);
    const paused = await call("POST", `/${draft.id}/pause`);
    expect(paused.body).toMatchObject({ status: "paused", enabled: true, devices: [device] });
    const again = await call("POST", `/${draft.id}/start`);
    expect(again.body).toMatchObject({ status: "active", devices: [device] });
    expect((await call("DELETE", `/${draft.id}`)).body).toEqual({ success: true });
    expect((await call("GET", `/${draft.id}`)).status).toBe(404);
    const kept = await fixture.call("GET", `/api/devices/${device.deviceId}`, { token: tokens.owner });
    expect(kept.body).toMatchObject({ name: "boiler", deviceType: "generator" });
  });

  test("started by two at once it has one device", async () => {
    const { id } = await create({ name: "twice" });
    const answers = await Promise.all([1, 2, 3, 4].map(() => call("POST", `/${id}/start`)));
    expect(new Set(answers.map(({ body }) => body.devices[0].deviceId)).size).toBe(1);
    const devices = await fixture.call("GET", "/api/devices?search=twice", { token: tokens.owner });
    expect(devices.body).toHaveLength(1);
    await call("DELETE", `/${id}`);
  });

  test("created as active it sends at once, for the devices that it names", async () => {
    const generator = await create({
      status: "active",
      config: { ...config, metrics: [{ key: "made", min: 1, max: 1 }], deviceIds: [mine.deviceId] },
    });
    expect(generator).toMatchObject({
      status: "active",
      devices: [{ deviceId: mine.deviceId, name: "mine" }],
      deviceCount: 1,
    });
    expect(await latestOf(mine.deviceId, "made")).toBe(1);
    await call("DELETE", `/${generator.id}`);
  });

  test("not enabled it is paused, whatever is asked; start enables it", async () => {
    const generator = await create({ enabled: false, status: "active" });
    expect(generator).toMatchObject({ enabled: false, status: "paused", deviceCount: 0 });
    const asked = await call("PATCH", `/${generator.id}`, { status: "active" });
    expect(asked.body).toMatchObject({ enabled: false, status: "paused" });
    const enabled = await call("PATCH", `/${generator.id}`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, status: "paused" });
    await call("PATCH", `/${generator.id}`, { enabled: false });
    const started = await call("POST", `/${generator.id}/start`);
    expect(started.body).toMatchObject({ enabled: true, status: "active" });
    const off = await call("PATCH", `/${generator.id}`, { enabled: false });
    expect(off.body).toMatchObject({ enabled: false, status: "paused" });
    await call("DELETE", `/${generator.id}`);
  });

  test("a change of an active one takes effect at once", async () => {
    const generator = await create({ status: "active", config: { ...config, deviceIds: [other.deviceId] } });
    await latestOf(other.deviceId, "temperature");
    const changed = await call("PATCH", `/${generator.id}`, {
      name: "renamed",
      config: {
        ...config,
        metrics: [{ key: "pressure", min: 3, max: 3 }],
        deviceIds: [other.deviceId],
      },
    });
    expect(changed.body).toMatchObject({ name: "renamed", status: "active" });
    expect(await latestOf(other.deviceId, "pressure")).toBe(3);
    await call("DELETE", `/${generator.id}`);
  });

  test("the list is by name, searched and counted", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "lists" });
    for (const name of ["c", "a", "b"])
      await fixture.call("POST", "/api/rule-chains", { token, body: bodyOf({ name }) });
    const list = await fixture.call("GET", "/api/rule-chains?limit=2", { token });
    expect(list.body.map(({ name }: { name: string }) => name)).toEqual(["a", "b"]);
    expect(list.headers.get("x-total-count")).toBe("3");
    const found = await fixture.call("GET", "/api/rule-chains?search=C", { token });
    expect(found.body).toHaveLength(1);
  });

  test("what it does is in the audit log", async () => {
    const { id } = await create({ name: "audited" });
    await call("POST", `/${id}/start`);
    await call("POST", `/${id}/pause`);
    await call("PATCH", `/${id}`, { name: "audited too" });
    await call("DELETE", `/${id}`);
    const { body } = await fixture.call("GET", `/api/audit?search=${id}`, { token: tokens.owner });
    const actions = body
      .filter(({ targetId }: { targetId: string }) => targetId === id)
      .map(({ action }: { action: string }) => action);
    expect(actions.toSorted()).toEqual([
      "generator.create",
      "generator.delete",
      "generator.pause",
      "generator.start",
      "generator.update",
    ]);
  });
});

describe("devices that go", () => {
  test("a chain whose own device is deleted is paused and says why; started again it has a new one", async () => {
    const { id } = await create({ name: "orphan" });
    const started = await call("POST", `/${id}/start`);
    const [{ deviceId }] = started.body.devices;
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: tokens.owner });
    const paused = await call("GET", `/${id}`);
    expect(paused.body).toMatchObject({
      status: "paused",
      devices: [],
      lastError: "The devices of this generator were deleted.",
      lastErrorAt: expect.any(String),
    });
    const again = await call("POST", `/${id}/start`);
    expect(again.body).toMatchObject({ status: "active", deviceCount: 1, lastError: null });
    expect(again.body.devices[0].deviceId).not.toBe(deviceId);
    await call("DELETE", `/${id}`);
  });

  test("a chain goes on without one of its devices, and is paused without the last", async () => {
    const [item, two] = [await fixture.createDevice(tokens.owner), await fixture.createDevice(tokens.owner)];
    const generator = await create({
      status: "active",
      config: { ...config, deviceIds: [item.deviceId, two.deviceId] },
    });
    await fixture.call("DELETE", `/api/devices/${item.deviceId}`, { token: tokens.owner });
    const left = await call("GET", `/${generator.id}`);
    expect(left.body).toMatchObject({ status: "active", config: { deviceIds: [two.deviceId] } });
    await fixture.call("DELETE", `/api/devices/${two.deviceId}`, { token: tokens.owner });
    const paused = await call("GET", `/${generator.id}`);
    expect(paused.body).toMatchObject({ status: "paused", config: { deviceIds: [] } });
    const start = await call("POST", `/${generator.id}/start`);
    expect([start.status, start.body.message]).toEqual([409, expect.stringContaining("were deleted")]);
    const named = await call("PATCH", `/${generator.id}`, {
      status: "active",
      config: { ...config, deviceIds: [mine.deviceId] },
    });
    expect(named.body).toMatchObject({ status: "active", lastError: null });
    await call("DELETE", `/${generator.id}`);
  });
});

describe("what is wrong", () => {
  const metric = (fields: Record<string, unknown>) => ({
    ...config,
    metrics: [{ ...metrics[0], ...fields }],
  });
  const invalid: Array<[message: string, body: unknown]> = [
    ["name", bodyOf({ name: undefined })],
    ["name", bodyOf({ name: "  " })],
    ["type", bodyOf({ type: undefined })],
    ["type", bodyOf({ type: "script" })],
    ["enabled", bodyOf({ enabled: undefined })],
    ["status", bodyOf({ status: undefined })],
    ["status", bodyOf({ status: "running" })],
    ["config", bodyOf({ config: undefined })],
    ["config: must be an object", bodyOf({ config: [] })],
    ["config: must be an object", bodyOf({ config: "x" })],
    ["intervalSeconds: must be a number", bodyOf({ config: { metrics } })],
    ["intervalSeconds", bodyOf({ config: { ...config, intervalSeconds: "10" } })],
    ["intervalSeconds", bodyOf({ config: { ...config, intervalSeconds: 0 } })],
    ["intervalSeconds", bodyOf({ config: { ...config, intervalSeconds: 100_000 } })],
    ["metrics", bodyOf({ config: { intervalSeconds: 1 } })],
    ["metrics", bodyOf({ config: { ...config, metrics: [] } })],
    ["metrics: at most 100", bodyOf({ config: { ...config, metrics: Array(101).fill(metrics[0]) } })],
    ["metrics[0]: must be an object", bodyOf({ config: { ...config, metrics: [7] } })],
    ["metrics[1].key: is there twice", bodyOf({ config: { ...config, metrics: [...metrics, ...metrics] } })],
    ["metrics[0].key", bodyOf({ config: metric({ key: "" }) })],
    ["metrics[0].key", bodyOf({ config: metric({ key: "x".repeat(257) }) })],
    ["metrics[0].min", bodyOf({ config: metric({ min: null }) })],
    ["metrics[0]: min must not be greater than max", bodyOf({ config: metric({ min: 30 }) })],
    ["metrics[0].max", bodyOf({ config: metric({ max: 1e300 }) })],
    ["metrics[0].decimals", bodyOf({ config: metric({ decimals: 1.5 }) })],
    ["metrics[0].decimals", bodyOf({ config: metric({ min: 0.1, max: 0.2, decimals: 0 }) })],
    ["metrics[0].pattern", bodyOf({ config: metric({ pattern: "square" }) })],
    ["metrics[0].step", bodyOf({ config: metric({ pattern: "counter", step: 0 }) })],
    ["metrics[0].step", bodyOf({ config: metric({ pattern: "counter", step: 50 }) })],
    ["metrics[0].step", bodyOf({ config: metric({ pattern: "counter", step: 0.25, decimals: 1 }) })],
    ["metrics[0].periodSeconds", bodyOf({ config: metric({ pattern: "sine", periodSeconds: -1 }) })],
    ["deviceIds", bodyOf({ config: { ...config, deviceIds: "x" } })],
    ["deviceIds: names no device", bodyOf({ config: { ...config, deviceIds: [] } })],
    [
      "deviceIds: at most 1000",
      bodyOf({ config: { ...config, deviceIds: Array.from({ length: 1_001 }, (_, i) => `${i}`) } }),
    ],
    [
      "at most 1000 messages a second are possible",
      bodyOf({
        config: { ...config, intervalSeconds: 0.5, deviceIds: Array.from({ length: 501 }, (_, i) => `${i}`) },
      }),
    ],
  ];
  test.each(invalid)("is 400 and named: %s", async (message, body) => {
    const answer = await call("POST", "", body);
    expect([answer.status, answer.body?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test("the type of a chain stays", async () => {
    const { id } = await create();
    expect((await call("PATCH", `/${id}`, { type: "script" })).status).toBe(400);
    expect((await call("PATCH", `/${id}`, { type: "data_generator" })).body.type).toBe("data_generator");
    await call("DELETE", `/${id}`);
  });

  test("a device that is not there, or another tenant's, is 404", async () => {
    for (const deviceId of ["nobody", strange.deviceId]) {
      const answer = await call("POST", "", bodyOf({ config: { ...config, deviceIds: [deviceId] } }));
      expect([answer.status, answer.body.statusCode]).toEqual([404, 404]);
    }
  });

  test("a tenant has at most 100 chains", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "many" });
    const post = () => fixture.call("POST", "/api/rule-chains", { token, body: bodyOf() });
    const apiAnswers = await Promise.all(Array.from({ length: 100 }, post));
    expect(apiAnswers.every(({ status }) => status === 201)).toBe(true);
    const last = await post();
    expect([last.status, last.body.message]).toEqual([409, expect.stringContaining("100 generators")]);
  }, 20_000);

  test("all active chains together are held to a rate", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "fast" });
    const many = Array.from({ length: 100 }, (_, index) => ({ key: `k${index}`, min: 0, max: 1 }));
    const body = bodyOf({ status: "active", config: { intervalSeconds: 0.1, metrics: many } });
    const created = [];
    for (let count = 0; count < 10; count++)
      created.push(await fixture.call("POST", "/api/rule-chains", { token, body }));
    expect(created.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const refused = await fixture.call("POST", "/api/rule-chains", { token, body });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining("too much")]);
    const devices = await fixture.call("GET", "/api/devices?deviceType=generator", { token });
    expect(devices.body).toHaveLength(10);
    for (const { body: generator } of created)
      await fixture.call("POST", `/api/rule-chains/${generator.id}/pause`, { token });
  });

  test("a plan without room for one more device starts nothing that needs one", async () => {
    const app = await createTestApp({
      config: { plans: JSON.stringify([{ id: "small", name: "Small", limits: { devices: 1 } }]) },
    });
    const { token } = await app.signIn("TENANT_OWNER", { plan: "small" });
    await app.createDevice(token);
    const apiAnswer = await app.call("POST", "/api/rule-chains", { token, body: bodyOf() });
    const start = await app.call("POST", `/api/rule-chains/${apiAnswer.body.id}/start`, { token });
    expect(start.status).toBe(403);
    const after = await app.call("GET", `/api/rule-chains/${apiAnswer.body.id}`, { token });
    expect(after.body).toMatchObject({ status: "draft", deviceCount: 0 });
    await app.stop();
  });
});

describe("the preview", () => {
  const preview = async (input: unknown, who: Who = "reader") => {
    const answer = await call("POST", "/preview", { config: input }, who);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.body;
  };

  test("shows the next readings, and what they add up to", async () => {
    const answer = await preview({
      intervalSeconds: 60,
      metrics: [{ key: "n", min: 0, max: 99, pattern: "counter" }, ...metrics],
      deviceIds: [mine.deviceId, other.deviceId],
    });
    expect(answer).toMatchObject({ success: true, warnings: [], errors: [] });
    const { readings, ...rest } = answer.result;
    expect(rest).toEqual({ deviceCount: 2, messagesPerDay: 2_880, valuesPerDay: 5_760 });
    expect(readings).toHaveLength(60);
    expect(readings.map(({ values }: { values: { n: number } }) => values.n)).toEqual(
      Array.from({ length: 60 }, (_, index) => index),
    );
    expect(readings[1].ts - readings[0].ts).toBe(60_000);
  });

  test("warns of what is allowed and perhaps not meant", async () => {
    const answer = await preview({
      intervalSeconds: 0.5,
      metrics: [
        { key: "a", min: 1, max: 1 },
        { key: "b", min: 0, max: 1, pattern: "sine", periodSeconds: 1 },
        { key: "c", min: 0, max: 1, step: 0.5 },
        { key: "d", min: 0, max: 1, periodSeconds: 5, colour: "red" },
      ],
      deviceIds: ["nobody", strange.deviceId],
      size: 1,
    });
    expect(answer.success).toBe(true);
    expect(answer.warnings).toEqual([
      "deviceIds: there is no device nobody",
      `deviceIds: there is no device ${strange.deviceId}`,
      "config.size: is not a known field and was left out",
      "metrics[0]: min and max leave a single value, which never changes",
      "metrics[2].step: is possible for counters and walks only",
      "metrics[3].colour: is not a known field and was left out",
      "metrics[3].periodSeconds: is possible for waves (sine) only",
      "intervalSeconds: is very short: 1382400 values are stored each day",
      "metrics[1].periodSeconds: a wave has fewer than four readings and does not look like one",
    ]);
  });

  test("names everything that is wrong at once", async () => {
    const answer = await preview({ metrics: [{ key: 7, min: 2, max: 1, pattern: [] }] });
    expect(answer).toEqual({
      success: false,
      result: {},
      warnings: [],
      warningTexts: [],
      errorTexts: [
        {
          code: "generator.problem",
          params: {
            field: "intervalSeconds",
            rule: { code: "rule.number_between", params: { min: 0.1, max: 86400 } },
          },
        },
        expect.anything(),
        expect.anything(),
      ],
      errors: [
        expect.stringContaining("intervalSeconds"),
        expect.stringContaining("metrics[0].key"),
        expect.stringContaining("metrics[0].pattern"),
      ],
    });
  });

  test.each([[{}], [{ metrics: {} }], [{ metrics: [null, [], "x"] }], [{ deviceIds: {} }]])(
    "answers a wild config: %j",
    async (input) => {
      expect((await preview(input)).success).toBe(false);
    },
  );

  test.each([[undefined], [null], [7], ["x"], [[]]])(
    "a config that is no object is 400: %j",
    async (input) => {
      const answer = await call("POST", "/preview", { config: input });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/^config: (is required|expected object|must be an object)$/);
    },
  );

  test("a key may have any name, also that of a prototype", async () => {
    const raw = JSON.stringify({
      config: { intervalSeconds: 60, metrics: [{ key: "__proto__", min: 1, max: 1 }] },
    });
    const answer = await call("POST", "/preview", JSON.parse(raw));
    expect(answer.text).toContain('"values":{"__proto__":1}');
    const generator = await create({ status: "active", config: JSON.parse(raw).config });
    const { deviceId } = generator.devices[0];
    for (let text = ""; !text.includes('"__proto__":1'); )
      text = (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: tokens.owner }))
        .text;
    await call("DELETE", `/${generator.id}`);
  });
});

describe("who may do what", () => {
  let id: string;
  let wideId: string;
  let ownId: string;
  beforeAll(async () => {
    id = (await create({ name: "for mine", config: { ...config, deviceIds: [mine.deviceId] } })).id;
    wideId = (
      await create({ name: "for both", config: { ...config, deviceIds: [mine.deviceId, other.deviceId] } })
    ).id;
    ownId = (await create({ name: "with its own" })).id;
  });
  const as = (who: Who, method: string, path: () => string, body?: unknown) => () => ({
    method,
    path: `/api/rule-chains${path()}`,
    token: tokens[who],
    ...(body !== undefined && { body }),
  });
  const pathOf = () => `/${id}`;
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous lists nothing",
        request: () => ({ method: "GET", path: "/api/rule-chains" }),
        status: 401,
        answer: "none",
      },
      {
        name: "anonymous previews nothing",
        request: () => ({ method: "POST", path: "/api/rule-chains/preview", body: { config } }),
        status: 401,
        answer: "none",
      },
      { name: "a reader reads", request: as("reader", "GET", pathOf), status: 200 },
      {
        name: "a reader creates nothing",
        request: as("reader", "POST", () => "", bodyOf()),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader changes nothing",
        request: as("reader", "PATCH", pathOf, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader starts nothing",
        request: as("reader", "POST", () => `/${id}/start`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader pauses nothing",
        request: as("reader", "POST", () => `/${id}/pause`),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader deletes nothing",
        request: as("reader", "DELETE", pathOf),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant reads nothing",
        request: as("stranger", "GET", pathOf),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant starts nothing",
        request: as("stranger", "POST", () => `/${id}/start`),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant deletes nothing",
        request: as("stranger", "DELETE", pathOf),
        status: 404,
        answer: "error",
      },
      { name: "a writer changes", request: as("writer", "PATCH", pathOf, { description: "x" }), status: 200 },
      { name: "an administrator pauses", request: as("admin", "POST", () => `/${id}/pause`), status: 200 },
      {
        name: "with access to its device it is changed",
        request: as("limited", "PATCH", pathOf, { name: "for mine" }),
        status: 200,
      },
      {
        name: "with access to some of its devices it is read",
        request: as("limited", "GET", () => `/${wideId}`),
        status: 200,
        answer: ({ body, text }) => {
          expect(body).toMatchObject({
            deviceCount: 1,
            hiddenDevices: 1,
            config: { deviceIds: [mine.deviceId] },
          });
          expect(text).not.toContain(other.deviceId);
        },
      },
      {
        name: "with access to some of its devices it is not changed",
        request: as("limited", "PATCH", () => `/${wideId}`, { name: "x" }),
        status: 403,
        answer: "error",
      },
      {
        name: "with access to none of its devices it is not there",
        request: as("limited", "GET", () => `/${ownId}`),
        status: 404,
        answer: "error",
      },
      {
        name: "without access to all devices none is made",
        request: as("limited", "POST", () => "", bodyOf()),
        status: 403,
        answer: "error",
      },
      {
        name: "without access to a device none sends for it",
        request: () =>
          as("limited", "POST", () => "", bodyOf({ config: { ...config, deviceIds: [other.deviceId] } }))(),
        status: 404,
        answer: "error",
      },
      {
        name: "with access to a device one sends for it",
        request: () =>
          as("limited", "POST", () => "", bodyOf({ config: { ...config, deviceIds: [mine.deviceId] } }))(),
        status: 201,
      },
    ],
  );

  test("the list leaves out what is not for the caller", async () => {
    const { body } = await call("GET", "", undefined, "limited");
    expect(body.map(({ name }: { name: string }) => name).sort()).toEqual(["demo", "for both", "for mine"]);
    expect((await call("GET", "", undefined, "stranger")).body).toEqual([]);
  });
});

describe("limits of what devices may send", () => {
  test("a full disk refuses its readings, which is told, and it goes on when there is room", async () => {
    let free = 1e12;
    const clock = new FakeClock();
    const app = await createTestApp({ clock, readSpace: async () => ({ free, total: 1e12 }) });
    const { token } = await app.signIn("TENANT_OWNER");
    const ask = async (path: string) => (await app.call("GET", path, { token })).body;
    const body = bodyOf({ status: "active", config: { ...config, intervalSeconds: 10 } });
    const { body: generator } = await app.call("POST", "/api/rule-chains", { token, body });
    const advanceUntil = async (
      isDone: (generator: { readings: number; lastError: string | null }) => boolean,
    ) => {
      for (;;) {
        clock.advance(1_000);
        const now = await ask(`/api/rule-chains/${generator.id}`);
        if (isDone(now)) return now;
      }
    };
    await advanceUntil(({ readings }) => readings > 0);
    free = 0;
    const refused = await advanceUntil(({ lastError }) => lastError !== null);
    expect(refused).toMatchObject({
      status: "active",
      lastError: expect.stringContaining("disk is almost full"),
    });
    free = 1e12;
    await advanceUntil(({ lastError }) => lastError === null);
    await app.stop();
  });

  test("what is beyond the rate of a device is refused, and listed on the device", async () => {
    const clock = new FakeClock();
    const app = await createTestApp({ clock });
    const { token } = await app.signIn("TENANT_OWNER");
    const profile = await app.call("POST", "/api/device-profiles", {
      token,
      body: { name: "slow", messagesPerSecond: 1, messagesBurst: 1 },
    });
    const device = await app.createDevice(token, { profileId: profile.body.profileId });
    const body = bodyOf({
      status: "active",
      config: { intervalSeconds: 0.5, metrics, deviceIds: [device.deviceId] },
    });
    const { body: generator } = await app.call("POST", "/api/rule-chains", { token, body });
    for (let listed = []; ; ) {
      clock.advance(500);
      listed = (await app.call("GET", `/api/devices/${device.deviceId}/rejections`, { token })).body;
      if (listed.length === 0) continue;
      expect(listed[0]).toMatchObject({ source: "generator", where: "generator demo" });
      break;
    }
    const { body: notified } = await app.call("GET", `/api/rule-chains/${generator.id}`, { token });
    expect(notified.status).toBe("active");
    expect(notified.refused).toBeGreaterThan(0);
    await app.stop();
  });

  test("a tenant that is deleted takes its chains along", async () => {
    const { token, user } = await fixture.signIn("TENANT_OWNER", { tenant: "gone" });
    const body = bodyOf({ status: "active", config: { ...config, intervalSeconds: 0.1 } });
    const apiAnswer = await fixture.call("POST", "/api/rule-chains", { token, body });
    await latestOf(apiAnswer.body.devices[0].deviceId, "temperature", fixture, token);
    const gone = await fixture.call("DELETE", "/api/tenant", { token, body: { tenantName: "gone" } });
    expect([gone.status, gone.text]).toEqual([200, expect.any(String)]);
    expect(fixture.app.services.tenants.find(user.tenantId as never)).toBeUndefined();
    const stored = await fixture.app.services.store.latest([apiAnswer.body.devices[0].deviceId]);
    expect(stored.flatMap(({ values }) => Object.keys(values))).toEqual([]);
  });
});
