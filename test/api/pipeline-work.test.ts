import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

const START = 1_700_000_000_000;
const readings = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ts: START + index, values: { a: index } }));

/** Returns a function that sends readings of a device with one pipeline. */
async function throughPipeline(steps: readonly object[]) {
  const device = await fixture.createDevice(owner);
  const created = await fixture.call("POST", "/api/data-pipelines", {
    token: owner,
    body: { name: "p", steps, scope: { deviceIds: [device.deviceId] } },
  });
  expect(created.status).toBe(201);
  const path = `/api/data-pipelines/${created.body.pipelineId}`;
  await fixture.call("POST", `${path}/start`, { token: owner });
  const send = async (body: unknown) =>
    (await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body })).body.code;
  return { device, path, send };
}

const fifty = (step: (index: number) => object): object[] => Array.from({ length: 50 }, (_, n) => step(n));
const names = Array.from({ length: 150 }, (_, n) => `${n}x`);
const attribute = { source: "attribute", key: "level", op: "LT", value: 0 };

test.each<[string, object[]]>([
  [
    "rename 70 keys",
    fifty(() => ({
      type: "rename_keys",
      mapping: Object.fromEntries(names.slice(0, 70).map((n) => [n, n])),
    })),
  ],
  ["look for 150 keys by number", fifty(() => ({ type: "round_keys", keys: names, decimals: 1 }))],
  [
    "look for 150 keys next to a step for all",
    [{ type: "remove_empty" }, ...Array(3).fill({ type: "drop_keys", keys: names })],
  ],
  ["look for 150 beginnings", fifty(() => ({ type: "remove_empty", keys: names.map((name) => `${name}*`) }))],
  ["fail", fifty(() => ({ type: "derive_key", key: "z", expression: 'a - "x"' }))],
  [
    "calculate",
    fifty((n) => ({ type: "derive_key", key: `z${n}`, expression: Array(200).fill("a").join("+") })),
  ],
  [
    "read attributes",
    fifty(() => ({ type: "conditional_drop", condition: { any: Array(10).fill(attribute) } })),
  ],
])("20,000 readings whose steps %s are refused", async (_, steps) => {
  const { send } = await throughPipeline(steps);
  expect(await send(readings(20_000))).toBe("message.too_much_work");
  expect(await send(readings(100))).toBeUndefined();
});

test("readings with very large objects are not compared again and again", async () => {
  const parts = Array.from({ length: 15_000 }, () => ({}));
  const same = { key: "big", op: "NE", attribute: { scope: "CLIENT", key: "big" } };
  const { device, path, send } = await throughPipeline(
    fifty(() => ({ type: "conditional_drop", condition: { any: Array(15).fill(same) } })),
  );
  await fixture.call("POST", `/api/v1/${device.token}/attributes`, { body: { big: { parts } } });
  expect(await send([{ ts: START, values: { big: { parts } } }])).toBeUndefined(); // its steps are left out
  const { body } = await fixture.call("GET", path, { token: owner });
  expect(body.lastError).toContain("takes more than");
});

test("attributes of many readings are set once, to those of the last one", async () => {
  const { device, send } = await throughPipeline([
    { type: "copy_key", from: "a", to: "b" },
    { type: "change_scope", keys: ["b"], scope: "SERVER" },
  ]);
  expect(await send(readings(50))).toBeUndefined();
  const path = `/api/devices/${device.deviceId}/attributes`;
  const history = await fixture.call("GET", `${path}/history?scope=SERVER&key=b`, { token: owner });
  expect(history.body.map(({ value }: { value: unknown }) => value)).toEqual([49]);
});

test("many readings of very many values that are copied are refused", async () => {
  const { send } = await throughPipeline([
    { type: "remove_empty" },
    { type: "round_keys", keys: ["a0"], decimals: 1 },
  ]);
  const values = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`a${index}`, index + 0.25]));
  const wide = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ts: START + index, values }));
  expect(await send(wide(600))).toBe("message.too_much_work");
  expect(await send(wide(100))).toBeUndefined();
});
