import { describe, expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { createTestApp } from "../support/test-app.ts";
import {
  create,
  device,
  fixture,
  limited,
  owner,
  path,
  reader,
  remove,
  usePipelines,
} from "./pipelines-fixture.ts";

usePipelines();

const start = (id: string, token = owner) => fixture.call("POST", `${path}/${id}/start`, { token });
const read = async (id: string) => (await fixture.call("GET", `${path}/${id}`, { token: owner })).body;

const report = (body: unknown, of = device) =>
  fixture.call("POST", `/api/v1/${of.token}/telemetry`, { body });

const latest = async (of = device) =>
  (await fixture.call("GET", `/api/devices/${of.deviceId}/telemetry/latest`, { token: owner })).body.values;

describe("messages in pipelines", () => {
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

  test("several pipelines run in their order, each on the result of the one before", async () => {
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

  test("a dropped message is acknowledged and counted, not stored, and makes the device active", async () => {
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

  test("a value that cannot become an attribute is listed, and the rest of its message is stored", async () => {
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

  test("a step that fails is left out and counted, and its newest error is shown", async () => {
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
      lastError: "`derive_key` (step 1): - needs numbers, not strings.",
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
});

test("a message of thousands of readings is refused if its steps would take too long", async () => {
  const own = await fixture.createDevice(owner);
  const steps = Array.from({ length: 30 }, () => ({ type: "drop_keys", keys: ["noise"] }));
  const ids: string[] = [];
  for (let index = 0; index < 60; index++) {
    const created = await create({ name: `heavy ${index}`, steps, scope: { deviceIds: [own.deviceId] } });
    await start(created.pipelineId);
    ids.push(created.pipelineId);
  }
  const readings = (count: number) =>
    Array.from({ length: count }, (_, ts) => ({ ts, values: { a: ts, noise: 1 } }));
  const refused = await report(readings(20_000), own);
  expect([refused.status, refused.body.code]).toEqual([400, "message.too_much_work"]);
  expect(await latest(own)).toEqual({});
  expect((await report(readings(5_000), own)).status).toBe(200);
  expect(await latest(own)).toEqual({ a: 4_999 });
  for (const id of ids) await remove(id);
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
