import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ApiDocument } from "../../src/http/api-docs.ts";
import { CONDITION_OPERATORS } from "../../src/lib/alarms/condition.ts";
import { ALIAS_TYPES } from "../../src/modules/dashboards/alias-devices.ts";
import { stepDefinitions } from "../../src/modules/pipelines/step-types.ts";
import { AGGREGATIONS } from "../../src/modules/telemetry/telemetry.types.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** The typed parts of bodies that services check by themselves: unions with a discriminator, and conditions. */

let fixture: TestApp;
let document: ApiDocument;
let ajv: Ajv2020;

beforeAll(async () => {
  fixture = await createTestApp();
  document = (await fixture.call("GET", "/docs/json")).body;
  ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, "api");
});
afterAll(() => fixture.stop());

const accepts = (component: string, value: unknown): boolean =>
  ajv.compile({ $ref: `api#/components/schemas/${component}` })(value);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** The component of each value of a union's discriminator. */
function mappingOf(union: string): Map<string, string> {
  const { discriminator } = document.components.schemas[union] ?? {};
  const mapping = isRecord(discriminator) && isRecord(discriminator.mapping) ? discriminator.mapping : {};
  return new Map(
    Object.entries(mapping).map(([value, reference]) => [value, String(reference).split("/").at(-1) ?? ""]),
  );
}

const widgetTypes = [
  "timeseries",
  "energy",
  "value",
  "gauge",
  "level",
  "stateTimeline",
  "statePie",
  "statusGrid",
  "deviceTable",
  "alarmList",
  "commandButton",
  "slider",
  "markdown",
  "floorPlan",
  "synoptic",
  "map",
];
const stepTypes = stepDefinitions.map(({ type }) => type);
const unions: ReadonlyArray<[string, readonly string[]]> = [
  ["PipelineStep", stepTypes],
  ["MappingStep", stepTypes.filter((type) => type !== "webhook_forward")],
  ["Widget", widgetTypes],
  ["DashboardAlias", ALIAS_TYPES],
  ["AlarmAction", ["command", "integration_downlink", "webhook"]],
];

describe.each(unions)("the union %s", (union, types) => {
  test("has a member for each type", () => {
    const mapping = mappingOf(union);
    expect([...mapping.keys()].sort()).toEqual([...types].sort());
    for (const [type, component] of mapping) {
      const schema = document.components.schemas[component];
      expect(schema?.properties?.type?.const).toBe(type);
      expect(schema?.required).toContain("type");
    }
  });

  test("refuses another type", () => {
    expect(accepts(union, { type: "something_else" })).toBe(false);
  });
});

test("there are 18 steps and 16 widgets", () => {
  expect(mappingOf("PipelineStep").size).toBe(18);
  expect(mappingOf("Widget").size).toBe(16);
});

describe.each([...stepDefinitions])("the step $type", ({ type, example, fields }) => {
  test("is accepted as its definition shows it, by its own schema too", () => {
    expect(accepts("PipelineStep", example.step)).toBe(true);
    expect(accepts(mappingOf("PipelineStep").get(type) ?? "", example.step)).toBe(true);
  });

  test("is accepted with its fields in config", () => {
    const { type: _, ...config } = example.step;
    expect(accepts("ConfiguredPipelineStep", { type, config, enabled: false })).toBe(true);
  });

  test("is refused without its required fields", () => {
    const isComplete = (fields.required ?? []).length === 0;
    expect(accepts("PipelineStep", { type })).toBe(isComplete);
  });
});

describe("an alarm condition", () => {
  const noData = { noData: { key: "t", forMs: 60_000 } };
  const accepted: readonly unknown[] = [
    ...CONDITION_OPERATORS.filter((op) => op !== "BETWEEN" && op !== "IN").map((op) => ({
      key: "t",
      op,
      value: 1,
    })),
    { key: "t", op: "BETWEEN", value: [1, 2] },
    { key: "t", op: "IN", value: [1, "a"] },
    { key: "t", op: "GT", attribute: { key: "limit", scope: "SHARED" } },
    { key: "mode", source: "attribute", scope: "CLIENT", op: "EQ", value: "night" },
    { key: "t", op: "CHANGED" },
    noData,
    { noData: { key: "t" } },
    { all: [{ any: [noData, { not: { key: "t", op: "CHANGED" } }] }] },
  ];
  test.each(accepted.map((condition) => [JSON.stringify(condition), condition]))(
    "may be %s",
    (_, condition) => {
      expect(accepts("AlarmCondition", condition)).toBe(true);
    },
  );

  const refused: readonly unknown[] = [
    {},
    { all: [] },
    { all: [{ any: [{}] }] },
    { key: "t", op: "LIKE", value: 1 },
    { key: "t", op: "GT" },
    { key: "t", op: "BETWEEN", value: [1] },
    { key: "t", op: "IN", value: 1 },
  ];
  test.each(refused.map((condition) => [JSON.stringify(condition), condition]))(
    "may not be %s",
    (_, condition) => {
      expect(accepts("AlarmCondition", condition)).toBe(false);
    },
  );

  test("of a pipeline knows no time", () => {
    expect(accepts("Condition", noData)).toBe(false);
    expect(accepts("Condition", { key: "t", op: "CHANGED" })).toBe(false);
    expect(accepts("Condition", { not: { key: "t", op: "EQ", value: null } })).toBe(true);
  });
});

test("a comparison names every operator of the compiler", () => {
  const op = document.components.schemas.AttributeComparison?.properties?.op;
  expect(op?.enum).toEqual([...CONDITION_OPERATORS]);
});

test("a rule's kind decides its fields", () => {
  const condition = { key: "t", op: "GT", value: 80 };
  const rule = (trigger: object) => ({
    alarmType: "Hot",
    createRules: [{ severity: "MAJOR", condition, ...trigger }],
  });
  expect(accepts("AlarmRule", rule({}))).toBe(true);
  expect(accepts("AlarmRule", rule({ kind: "DURATION", forMs: 1_000 }))).toBe(true);
  expect(accepts("AlarmRule", rule({ kind: "REPEATING", count: 3 }))).toBe(true);
  expect(accepts("AlarmRule", rule({ kind: "DURATION" }))).toBe(false);
  expect(accepts("AlarmRule", rule({ kind: "REPEATING", forMs: 1_000 }))).toBe(false);
  expect(accepts("AlarmRule", rule({ severity: "BAD" }))).toBe(false);
});

test("a time window is one of its three forms", () => {
  expect(accepts("TimeWindow", { from: 0, to: 1 })).toBe(true);
  expect(accepts("TimeWindow", { mode: "live", durationMs: 60_000 })).toBe(true);
  expect(accepts("TimeWindow", { mode: "calendar", unit: "day" })).toBe(true);
  expect(accepts("TimeWindow", { mode: "calendar" })).toBe(false);
  expect(accepts("TimeWindow", { mode: "live" })).toBe(false);
});

test("every aggregation is an enumeration", () => {
  const named: unknown[] = [];
  const walk = (value: unknown, isParameter: boolean): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, isParameter);
    if (!isRecord(value)) return;
    if (value.name === "aggregation" && value.in === "query") named.push(value.schema);
    for (const [name, inner] of Object.entries(value)) {
      if (name === "example") continue;
      if (name === "aggregation") named.push(inner);
      walk(inner, isParameter);
    }
  };
  walk(document, false);
  expect(named.length).toBeGreaterThan(3);
  for (const schema of named) expect(schema).toMatchObject({ enum: [...AGGREGATIONS] });
});
