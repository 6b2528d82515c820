import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { apiRows } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let writer: string;
let reader: string;
let limited: string;
let stranger: string;
let pipelineId: string;
let device: { deviceId: string; token: string };

const path = "/api/data-pipelines";
const create = async (body: Record<string, unknown>, token = owner) =>
  (await fixture.call("POST", path, { token, body: { name: "p", ...body } })).body;
const start = (id: string, token = owner) => fixture.call("POST", `${path}/${id}/start`, { token });
const remove = (id: string) => fixture.call("DELETE", `${path}/${id}`, { token: owner });
const read = async (id: string) => (await fixture.call("GET", `${path}/${id}`, { token: owner })).body;
const report = (body: unknown, of = device) =>
  fixture.call("POST", `/api/v1/${of.token}/telemetry`, { body });
const latest = async (of = device) =>
  (await fixture.call("GET", `/api/devices/${of.deviceId}/telemetry/latest`, { token: owner })).body.values;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  writer = (await fixture.signIn("TENANT_RW")).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
  device = await fixture.createDevice(owner);
  limited = (await fixture.signIn("TENANT_RW", { devices: [device.deviceId] })).token;
  pipelineId = (await create({ name: "kept" })).pipelineId;
});
afterAll(() => fixture.stop());

test("a device that was deleted may stay in the scope of a pipeline", async () => {
  const own = await fixture.createDevice(owner);
  const scope = { deviceIds: [own.deviceId] };
  const { pipelineId: id } = await create({ scope });
  await fixture.call("DELETE", `/api/devices/${own.deviceId}`, { token: owner });
  const change = (body: object) => fixture.call("PATCH", `${path}/${id}`, { token: owner, body });
  expect((await change({ scope, status: "active" })).body).toMatchObject({ scope, status: "active" });
  const other = await fixture.createDevice(stranger);
  expect((await change({ scope: { deviceIds: [own.deviceId, other.deviceId] } })).status).toBe(404);
  await remove(id);
});

describe("data pipelines", () => {
  const atTime = (suffix = "") => `${path}/${pipelineId}${suffix}`;
  apiRows(
    () => fixture,
    [
      {
        name: "anonymous may not list: 401 without a body",
        request: () => ({ method: "GET", path }),
        status: 401,
        answer: "none",
      },
      {
        name: "anonymous may not start one",
        request: () => ({ method: "POST", path: atTime("/start") }),
        status: 401,
        answer: "none",
      },
      {
        name: "a reader may not create",
        request: () => ({ method: "POST", path, token: reader, body: { name: "x" } }),
        status: 403,
        answer: "error",
      },
      {
        name: "a reader may not preview",
        request: () => ({
          method: "POST",
          path: `${path}/preview`,
          token: reader,
          body: { steps: [], telemetry: {} },
        }),
        status: 403,
        answer: "error",
      },
      {
        name: "a writer of some devices may not create",
        request: () => ({ method: "POST", path, token: limited, body: { name: "x" } }),
        status: 403,
        answer: "error",
      },
      {
        name: "a writer of some devices may not start",
        request: () => ({ method: "POST", path: atTime("/start"), token: limited }),
        status: 403,
        answer: "error",
      },
      {
        name: "another tenant's is 404",
        request: () => ({ method: "GET", path: atTime(), token: stranger }),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant may not change it",
        request: () => ({ method: "PATCH", path: atTime(), token: stranger, body: { name: "x" } }),
        status: 404,
        answer: "error",
      },
      {
        name: "another tenant may not delete it",
        request: () => ({ method: "DELETE", path: atTime(), token: stranger }),
        status: 404,
        answer: "error",
      },
      {
        name: "a missing name is 400",
        request: () => ({ method: "POST", path, token: owner, body: {} }),
        status: 400,
        answer: "error",
      },
      {
        name: "an unknown step is 400",
        request: () => ({
          method: "POST",
          path,
          token: owner,
          body: { name: "x", steps: [{ type: "magic" }] },
        }),
        status: 400,
        answer: "error",
      },
      {
        name: "a status is the pipeline's",
        request: () => ({ method: "POST", path, token: owner, body: { name: "own", status: "paused" } }),
        status: 201,
        answer: ({ body }) => expect(body).toMatchObject({ status: "paused", version: 1 }),
      },
      {
        name: "a status that is none is 400",
        request: () => ({ method: "POST", path, token: owner, body: { name: "x", status: "running" } }),
        status: 400,
        answer: ({ body }) => expect(body.message).toContain("status"),
      },
      {
        name: "a device of another tenant in the scope is 404",
        request: () => ({
          method: "POST",
          path,
          token: stranger,
          body: { name: "x", scope: { deviceIds: [device.deviceId] } },
        }),
        status: 404,
        answer: "error",
      },
      {
        name: "a profile that is none in the scope is 404",
        request: () => ({
          method: "PATCH",
          path: atTime(),
          token: owner,
          body: { scope: { profileIds: ["nothing"] } },
        }),
        status: 404,
        answer: "error",
      },
      {
        name: "steps that are no list are 400",
        request: () => ({ method: "PATCH", path: atTime(), token: owner, body: { steps: {} } }),
        status: 400,
        answer: "error",
      },
      {
        name: "a version that never was is 404",
        request: () => ({ method: "POST", path: atTime("/rollback"), token: owner, body: { version: 99 } }),
        status: 404,
        answer: "error",
      },
      {
        name: "a reader may look",
        request: () => ({ method: "GET", path: atTime(), token: reader }),
        status: 200,
      },
      {
        name: "a writer may preview",
        request: () => ({
          method: "POST",
          path: `${path}/preview`,
          token: writer,
          body: { steps: [], telemetry: { a: 1 } },
        }),
        status: 200,
      },
    ],
  );

  test("the newest message of a device is there as it came, though it was stored otherwise", async () => {
    const own = await fixture.createDevice(owner);
    const newest = (token = owner) =>
      fixture.call("GET", `${path}/newest-message/${own.deviceId}`, { token });
    expect((await newest()).body).toEqual({ message: null });
    const steps = [{ type: "rename_keys", mapping: { t: "temperature" } }];
    const { pipelineId: id } = await create({ steps, scope: { deviceIds: [own.deviceId] } });
    await start(id);
    await report(
      [
        { ts: 1_767_225_600_000, values: { t: 1 } },
        { ts: 1_767_225_601_000, values: { t: 2 } },
      ],
      own,
    );
    expect(await latest(own)).toEqual({ temperature: 2 });
    // Also once the pipeline was changed.
    await fixture.call("PATCH", `${path}/${id}`, { token: owner, body: { steps: [] } });
    expect((await newest()).body).toEqual({ message: { ts: 1_767_225_601_000, telemetry: { t: 2 } } });
    expect((await newest(limited)).status).toBe(404);
    expect((await newest(reader)).status).toBe(403);
    await remove(id);
  });

  test("the types of steps come with what a form needs", async () => {
    const { body } = await fixture.call("GET", `${path}/step-types`, { token: reader });
    expect(body).toHaveLength(18);
    for (const { type, summary, fields, example } of body) {
      expect(summary.length).toBeGreaterThan(20);
      expect(fields.type).toBe("object");
      expect(example.step.type).toBe(type);
      for (const [name, schema] of Object.entries<Record<string, unknown>>(fields.properties))
        expect(Object.keys(schema).length > 0 && name.length > 0).toBe(true);
    }
  });

  test("a draft changes nothing; started it does, at once, and paused it does not any more", async () => {
    const own = await fixture.createDevice(owner);
    const created = await create({
      name: "Fahrenheit",
      scope: { deviceIds: [own.deviceId] },
      steps: [
        { type: "scale_keys", keys: ["t"], factor: 5 / 9, offset: -160 / 9 },
        { type: "round_keys", keys: ["t"], decimals: 1 },
        { type: "rename_keys", mapping: { t: "temperature" } },
      ],
    });
    expect(created).toMatchObject({
      status: "draft",
      version: 1,
      stats: { in: 0, out: 0, dropped: 0, errors: 0 },
    });
    await report({ t: 212 }, own);
    expect(await latest(own)).toEqual({ t: 212 });
    expect((await start(created.pipelineId)).body.status).toBe("active");
    await report({ t: 212, other: "x" }, own);
    await report({ t: 32 });
    expect(await latest(own)).toEqual({ t: 212, temperature: 100, other: "x" });
    expect((await latest()).t).toBe(32);
    expect((await read(created.pipelineId)).stats).toEqual({ in: 1, out: 1, dropped: 0, errors: 0 });
    await fixture.call("POST", `${path}/${created.pipelineId}/pause`, { token: owner });
    await report({ t: 50 }, own);
    expect((await latest(own)).t).toBe(50);
    await remove(created.pipelineId);
  });

  test("several run by their order, each on what the one before has left", async () => {
    const own = await fixture.createDevice(owner, { deviceType: "chained" });
    const scope = { deviceTypes: ["chained"] };
    const second = await create({
      scope,
      order: 2,
      steps: [{ type: "derive_key", key: "b", expression: "a * 10" }],
    });
    const first = await create({
      scope,
      order: 1,
      steps: [{ type: "derive_key", key: "a", expression: "a + 1" }],
    });
    for (const { pipelineId: id } of [second, first]) await start(id);
    await report({ a: 1 }, own);
    expect(await latest(own)).toEqual({ a: 2, b: 20 });
    for (const { pipelineId: id } of [second, first]) await remove(id);
  });

  test("a message that is dropped is acknowledged, counted and not stored, and the device has spoken all the same", async () => {
    const own = await fixture.createDevice(owner);
    const created = await create({
      scope: { deviceIds: [own.deviceId] },
      steps: [{ type: "conditional_drop", condition: { key: "starting", op: "EQ", value: true } }],
    });
    await start(created.pipelineId);
    expect((await report({ starting: true, t: 0 }, own)).status).toBe(200);
    expect(await latest(own)).toEqual({});
    expect((await fixture.call("GET", `/api/devices/${own.deviceId}`, { token: owner })).body.active).toBe(
      true,
    );
    await report([{ starting: true }, { starting: false, t: 5 }], own);
    expect(await latest(own)).toEqual({ starting: false, t: 5 });
    expect((await read(created.pipelineId)).stats).toEqual({ in: 3, out: 1, dropped: 2, errors: 0 });
    await remove(created.pipelineId);
  });

  test("telemetry becomes attributes, and attributes are in expressions, over MQTT as over HTTP", async () => {
    const own = await fixture.createDevice(owner);
    await fixture.call("POST", `/api/devices/${own.deviceId}/attributes`, {
      token: owner,
      body: { scope: "SERVER", attributes: { offset: 2 } },
    });
    const created = await create({
      scope: { deviceIds: [own.deviceId] },
      steps: [
        { type: "change_scope", keys: ["firmware"], scope: "CLIENT" },
        { type: "derive_key", key: "t", expression: 't - attribute("SERVER", "offset")' },
      ],
    });
    await start(created.pipelineId);
    const client = await connectAsync(`mqtt://127.0.0.1:${fixture.app.mqttPort}`, {
      username: own.token,
      reconnectPeriod: 0,
    });
    await client.publishAsync("v1/devices/me/telemetry", '{"t":22,"firmware":"1.4"}', { qos: 1 });
    expect(await latest(own)).toEqual({ t: 20 });
    await client.publishAsync("v1/devices/me/telemetry", '{"firmware":"1.5"}', { qos: 1 });
    const { body } = await fixture.call("GET", `/api/devices/${own.deviceId}/attributes?scope=CLIENT`, {
      token: owner,
    });
    expect(body).toMatchObject([{ key: "firmware", value: "1.5" }]);
    expect(await latest(own)).toEqual({ t: 20 });
    await client.endAsync();
    await remove(created.pipelineId);
  });

  test("what cannot become an attribute is listed, and the rest of its message is stored", async () => {
    const own = await fixture.createDevice(owner);
    const created = await create({
      scope: { deviceIds: [own.deviceId] },
      steps: [{ type: "change_scope", keys: ["note"], scope: "CLIENT" }],
    });
    await start(created.pipelineId);
    expect((await report({ note: '"'.repeat(40_000), t: 5 }, own)).status).toBe(200);
    expect(await latest(own)).toEqual({ t: 5 });
    const { body } = await fixture.call("GET", `/api/devices/${own.deviceId}/rejections`, { token: owner });
    expect(body).toMatchObject([{ code: "attribute.value_too_large" }]);
    await remove(created.pipelineId);
  });

  test("a step that cannot do its work is left out, counted, and its newest error told", async () => {
    const own = await fixture.createDevice(owner);
    const created = await create({
      scope: { deviceIds: [own.deviceId] },
      steps: [
        { type: "derive_key", key: "x", expression: "mode - 1" },
        { type: "copy_key", from: "mode", to: "copy" },
      ],
    });
    await start(created.pipelineId);
    await report({ mode: "eco" }, own);
    expect(await latest(own)).toEqual({ mode: "eco", copy: "eco" });
    expect(await read(created.pipelineId)).toMatchObject({
      stats: { in: 1, out: 1, dropped: 0, errors: 1 },
      lastError: "derive_key (step 1): - needs numbers, not texts",
      lastErrorText: {
        code: "step_failure.of_step",
        params: {
          type: "derive_key",
          step: 1,
          reason: { code: "step_failure.texts", params: { subject: "-" } },
        },
      },
      lastErrorAt: expect.any(String),
    });
    const time = `${path}/${created.pipelineId}`;
    await fixture.call("PATCH", time, { token: owner, body: { name: "renamed" } });
    expect((await read(created.pipelineId)).lastError).toContain("derive_key");
    await fixture.call("PATCH", time, { token: owner, body: { steps: [] } });
    expect(await read(created.pipelineId)).toMatchObject({
      lastError: null,
      lastErrorText: null,
      lastErrorAt: null,
    });
    await remove(created.pipelineId);
  });

  test("each change of its steps is a version, which can be brought back", async () => {
    const created = await create({ name: "versions", steps: [{ type: "drop_keys", keys: ["a"] }] });
    const time = `${path}/${created.pipelineId}`;
    await fixture.call("PATCH", time, { token: owner, body: { name: "renamed" } });
    const changed = await fixture.call("PATCH", time, {
      token: writer,
      body: { steps: [{ type: "drop_keys", keys: ["b"] }] },
    });
    expect(changed.body).toMatchObject({ name: "renamed", version: 2 });
    const back = await fixture.call("POST", `${time}/rollback`, { token: owner, body: { version: 1 } });
    expect(back.body).toMatchObject({ version: 3, steps: [{ type: "drop_keys", keys: ["a"] }] });
    const { body } = await fixture.call("GET", `${time}/versions`, { token: reader });
    expect(body.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    await remove(created.pipelineId);
    expect((await fixture.call("GET", time, { token: owner })).status).toBe(404);
  });
});

test("a preview says what each step made of a message, and stores nothing", async () => {
  const { body } = await fixture.call("POST", `${path}/preview`, {
    token: owner,
    body: {
      telemetry: { t: "21.54", noise: 1 },
      ts: 1_700_000_000_000,
      steps: [
        { type: "coerce_types", types: { t: "number" } },
        { type: "derive_key", key: "x", expression: "noise - 'a'" },
        { type: "pick_keys", config: { keys: ["t"] } },
        { type: "round_keys", keys: ["t"], decimals: 1 },
      ],
    },
  });
  expect(body.result).toEqual({ ts: 1_700_000_000_000, telemetry: { t: 21.5 }, attributes: {} });
  expect(body.trace.map(({ step, out }: { step: string; out: unknown }) => [step, out])).toEqual([
    ["coerce_types", { t: 21.54, noise: 1 }],
    ["derive_key", null],
    ["pick_keys", { t: 21.54 }],
    ["round_keys", { t: 21.5 }],
  ]);
  expect(body.warnings).toEqual([expect.stringContaining("step 2 was skipped")]);
  expect(body.webhookPreviews).toEqual([]);
  const dropped = await fixture.call("POST", `${path}/preview`, {
    token: owner,
    body: {
      telemetry: { a: 1 },
      steps: [{ type: "conditional_drop", condition: { key: "a", op: "EQ", value: 1 } }],
    },
  });
  expect(dropped.body).toMatchObject({
    result: null,
    trace: [{ step: "conditional_drop", in: { a: 1 }, out: null }],
  });
});

test("switched off, pipelines let everything pass; counters outlive a restart", async () => {
  const first = await createTestApp();
  const { token } = await first.signIn("TENANT_OWNER");
  const own = await first.createDevice(token);
  const { body } = await first.call("POST", path, {
    token,
    body: { name: "drop", steps: [{ type: "drop_keys", keys: ["noise"] }] },
  });
  await first.call("POST", `${path}/${body.pipelineId}/start`, { token });
  await first.call("POST", `/api/v1/${own.token}/telemetry`, { body: { a: 1, noise: 1 } });
  await first.app.stop();
  const off = await createTestApp({ directory: first.directory, config: { data_pipelines_enabled: false } });
  await off.call("POST", `/api/v1/${own.token}/telemetry`, { body: { a: 2, noise: 2 } });
  const values = await off.call("GET", `/api/devices/${own.deviceId}/telemetry/latest`, { token });
  expect(values.body.values).toEqual({ a: 2, noise: 2 });
  const kept = await off.call("GET", `${path}/${body.pipelineId}`, { token });
  expect(kept.body.stats).toEqual({ in: 1, out: 1, dropped: 0, errors: 0 });
  await off.app.stop();
  await first.stop();
});
