import { describe, expect, test } from "bun:test";
import { stepDefinitions } from "../../src/modules/pipelines/step-types.ts";
import { apiRows } from "../support/api-rows.ts";
import {
  create,
  device,
  fixture,
  limited,
  owner,
  path,
  pipelineId,
  reader,
  remove,
  stranger,
  usePipelines,
  writer,
} from "./pipelines-fixture.ts";

usePipelines();

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
        name: "an unknown status is 400",
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
        name: "an unknown profile in the scope is 404",
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

  test("the types of steps have the schemas that a form needs", async () => {
    const { body } = await fixture.call("GET", `${path}/step-types`, { token: reader });
    expect(body.map(({ type }: { type: string }) => type)).toEqual(stepDefinitions.map(({ type }) => type));
    for (const { type, summary, fields, example } of body) {
      expect(summary).toMatch(/^[A-Z].{8,}\.?$/);
      expect(fields.type).toBe("object");
      expect(example.step.type).toBe(type);
      for (const [name, schema] of Object.entries<Record<string, unknown>>(fields.properties))
        expect(Object.keys(schema).length > 0 && name.length > 0).toBe(true);
    }
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

test("a preview shows the result of each step, and stores nothing", async () => {
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
  expect(body.warnings).toEqual([expect.stringContaining("Step 2 was skipped")]);
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
