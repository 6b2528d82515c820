import { describe, expect, test } from "bun:test";
import { createTestApp } from "../support/test-app.ts";
import {
  bodyOf,
  call,
  config,
  create,
  fixture,
  metrics,
  mine,
  other,
  strange,
  tokens,
  useGenerators,
  type Who,
} from "./generators-fixture.ts";

useGenerators();

describe("an invalid generator", () => {
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
    ["`config` must be an object.", bodyOf({ config: [] })],
    ["`config` must be an object.", bodyOf({ config: "x" })],
    ["`intervalSeconds` must be a number", bodyOf({ config: { metrics } })],
    ["intervalSeconds", bodyOf({ config: { ...config, intervalSeconds: "10" } })],
    ["intervalSeconds", bodyOf({ config: { ...config, intervalSeconds: 0 } })],
    ["intervalSeconds", bodyOf({ config: { ...config, intervalSeconds: 100_000 } })],
    ["metrics", bodyOf({ config: { intervalSeconds: 1 } })],
    ["metrics", bodyOf({ config: { ...config, metrics: [] } })],
    [
      "`metrics` can have at most 100",
      bodyOf({ config: { ...config, metrics: Array(101).fill(metrics[0]) } }),
    ],
    ["`metrics[0]` must be an object", bodyOf({ config: { ...config, metrics: [7] } })],
    ["`metrics[1].key` occurs twice.", bodyOf({ config: { ...config, metrics: [...metrics, ...metrics] } })],
    ["metrics[0].key", bodyOf({ config: metric({ key: "" }) })],
    ["metrics[0].key", bodyOf({ config: metric({ key: "x".repeat(257) }) })],
    ["metrics[0].min", bodyOf({ config: metric({ min: null }) })],
    [
      "`metrics[0]` must have a `min` that is not greater than `max`.",
      bodyOf({ config: metric({ min: 30 }) }),
    ],
    ["metrics[0].max", bodyOf({ config: metric({ max: 1e300 }) })],
    ["metrics[0].decimals", bodyOf({ config: metric({ decimals: 1.5 }) })],
    ["metrics[0].decimals", bodyOf({ config: metric({ min: 0.1, max: 0.2, decimals: 0 }) })],
    ["metrics[0].pattern", bodyOf({ config: metric({ pattern: "square" }) })],
    ["metrics[0].step", bodyOf({ config: metric({ pattern: "counter", step: 0 }) })],
    ["metrics[0].step", bodyOf({ config: metric({ pattern: "counter", step: 50 }) })],
    ["metrics[0].step", bodyOf({ config: metric({ pattern: "counter", step: 0.25, decimals: 1 }) })],
    ["metrics[0].periodSeconds", bodyOf({ config: metric({ pattern: "sine", periodSeconds: -1 }) })],
    ["deviceIds", bodyOf({ config: { ...config, deviceIds: "x" } })],
    ["`deviceIds` names no device", bodyOf({ config: { ...config, deviceIds: [] } })],
    [
      "`deviceIds` can have at most 1000",
      bodyOf({ config: { ...config, deviceIds: Array.from({ length: 1_001 }, (_, i) => `${i}`) } }),
    ],
    [
      "at most 1000 messages per second are possible",
      bodyOf({
        config: { ...config, intervalSeconds: 0.5, deviceIds: Array.from({ length: 501 }, (_, i) => `${i}`) },
      }),
    ],
  ];
  test.each(invalid)("is 400 and named: %s", async (message, body) => {
    const response = await call("POST", "", body);
    expect([response.status, response.body?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test("the type of a chain stays", async () => {
    const { id } = await create();
    expect((await call("PATCH", `/${id}`, { type: "script" })).status).toBe(400);
    expect((await call("PATCH", `/${id}`, { type: "data_generator" })).body.type).toBe("data_generator");
    await call("DELETE", `/${id}`);
  });

  test("a device that is not there, or another tenant's, is 404", async () => {
    for (const deviceId of ["nobody", strange.deviceId]) {
      const response = await call("POST", "", bodyOf({ config: { ...config, deviceIds: [deviceId] } }));
      expect([response.status, response.body.statusCode]).toEqual([404, 404]);
    }
  });

  test("a tenant has at most 100 generators", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "many" });
    const post = () => fixture.call("POST", "/api/rule-chains", { token, body: bodyOf() });
    const apiResponses = await Promise.all(Array.from({ length: 100 }, post));
    expect(apiResponses.every(({ status }) => status === 201)).toBe(true);
    const last = await post();
    expect([last.status, last.body.message]).toEqual([409, expect.stringContaining("100 generators")]);
  });

  test("all active generators of a tenant together are limited to a rate", async () => {
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
    const apiResponse = await app.call("POST", "/api/rule-chains", { token, body: bodyOf() });
    const start = await app.call("POST", `/api/rule-chains/${apiResponse.body.id}/start`, { token });
    expect(start.status).toBe(403);
    const after = await app.call("GET", `/api/rule-chains/${apiResponse.body.id}`, { token });
    expect(after.body).toMatchObject({ status: "draft", deviceCount: 0 });
    await app.stop();
  });
});

describe("the preview", () => {
  const preview = async (input: unknown, who: Who = "reader") => {
    const response = await call("POST", "/preview", { config: input }, who);
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body;
  };

  test("shows the next readings, and what they add up to", async () => {
    const response = await preview({
      intervalSeconds: 60,
      metrics: [{ key: "n", min: 0, max: 99, pattern: "counter" }, ...metrics],
      deviceIds: [mine.deviceId, other.deviceId],
    });
    expect(response).toMatchObject({ success: true, warnings: [], errors: [] });
    const { readings, ...rest } = response.result;
    expect(rest).toEqual({ deviceCount: 2, messagesPerDay: 2_880, valuesPerDay: 5_760 });
    expect(readings).toHaveLength(60);
    expect(readings.map(({ values }: { values: { n: number } }) => values.n)).toEqual(
      Array.from({ length: 60 }, (_, index) => index),
    );
    expect(readings[1].ts - readings[0].ts).toBe(60_000);
  });

  test("warns of unusual settings", async () => {
    const response = await preview({
      intervalSeconds: 0.5,
      metrics: [
        { key: "a", min: 1, max: 1 },
        { key: "b", min: 0, max: 1, pattern: "sine", periodSeconds: 1 },
        { key: "c", min: 0, max: 1, step: 0.5 },
        { key: "d", min: 0, max: 1, periodSeconds: 5, shade: "red" },
      ],
      deviceIds: ["nobody", strange.deviceId],
      size: 1,
    });
    expect(response.success).toBe(true);
    expect(response.warnings).toEqual([
      "`deviceIds` contains nobody, which is not the ID of a device.",
      `\`deviceIds\` contains ${strange.deviceId}, which is not the ID of a device.`,
      "`config.size` is not a known field and was left out.",
      "`metrics[0]` has a `min` and `max` that allow only a single value.",
      "`metrics[2].step` is possible for counters and walks only.",
      "`metrics[3].shade` is not a known field and was left out.",
      "`metrics[3].periodSeconds` is possible for waves (sine) only.",
      "`intervalSeconds` is very short: 1382400 values are stored each day.",
      "`metrics[1].periodSeconds` results in a wave of fewer than four readings.",
    ]);
  });

  test("names all errors at once", async () => {
    const response = await preview({ metrics: [{ key: 7, min: 2, max: 1, pattern: [] }] });
    expect(response).toEqual({
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
      const response = await call("POST", "/preview", { config: input });
      expect(response.status).toBe(400);
      expect(response.body.message).toMatch(/^`config` (is required|must be an object)\.$/);
    },
  );

  test("a key may have any name, also that of a prototype", async () => {
    const raw = JSON.stringify({
      config: { intervalSeconds: 60, metrics: [{ key: "__proto__", min: 1, max: 1 }] },
    });
    const response = await call("POST", "/preview", JSON.parse(raw));
    expect(response.text).toContain('"values":{"__proto__":1}');
    const generator = await create({ status: "active", config: JSON.parse(raw).config });
    const { deviceId } = generator.devices[0];
    for (let text = ""; !text.includes('"__proto__":1'); )
      text = (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: tokens.owner }))
        .text;
    await call("DELETE", `/${generator.id}`);
  });
});
