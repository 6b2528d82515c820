import { expect, test } from "bun:test";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import { STEP_WORK_MAX } from "../../../src/lib/expressions/work-budget.ts";
import {
  compileSteps,
  runSteps,
  type StepFailure,
  toReading,
} from "../../../src/modules/pipelines/step-engine.ts";
import { stepWork } from "../../../src/modules/pipelines/step-work.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";

function run(step: unknown, values: Record<string, TelemetryValue>) {
  const failures: string[] = [];
  const context = { deviceId: "d", tenantId: "t", profileId: "p", attribute: () => undefined };
  const onFailure = ({ reason }: StepFailure) => failures.push(inEnglish(reason));
  const message = runSteps(compileSteps([step]), { ts: 1, values }, { context, onFailure });
  return { out: message && { ...toReading(message)?.values }, failures };
}

const tooLong = ["A string would be longer than 65536 characters."];

test("a replacement that would make a text of gigabytes is not made", () => {
  const step = {
    type: "string_transform",
    keys: ["a"],
    operation: "replace",
    search: "a",
    text: "b".repeat(1_000),
  };
  const values = { a: "a".repeat(4_000_000) };
  const before = process.memoryUsage().rss;
  expect(run(step, values)).toEqual({ out: values, failures: tooLong });
  expect(process.memoryUsage().rss - before).toBeLessThan(500e6); // 4 GB, as far as that goes
});

test("a replacement that just fits is made", () => {
  const step = { type: "string_transform", keys: ["a"], operation: "replace", search: "aa", text: "bbbb" };
  const fitting = { a: "a".repeat(32 * 1024) };
  expect(run(step, fitting)).toEqual({ out: { a: "b".repeat(64 * 1024) }, failures: [] });
  expect(run(step, { a: `${fitting.a}aa` }).failures).toEqual(tooLong);
  // What only becomes shorter may be longer than that on its way in.
  const shorter = { ...step, text: "" };
  expect(run(shorter, { a: "a".repeat(200_000) })).toEqual({ out: { a: "" }, failures: [] });
});

test("texts are not added up without end", () => {
  const step = { type: "derive_key", key: "b", expression: Array(400).fill("a").join("+") };
  expect(run(step, { a: "x".repeat(163) }).out?.b).toHaveLength(65_200);
  const values = { a: "x".repeat(60_000) };
  expect(run(step, values)).toEqual({ out: values, failures: tooLong });
});

test.each(["1e999", '{"a":[-1e999]}', `${"[".repeat(100)}${"]".repeat(100)}`])(
  "JSON in a text that could not have been sent as telemetry stays a text: %p",
  (text) => {
    const step = { type: "coerce_types", types: { a: "json" } };
    expect(run(step, { a: text })).toEqual({ out: { a: text }, failures: [] });
  },
);

test("no key becomes longer than keys may be", () => {
  const values = { ["a".repeat(200)]: { ["b".repeat(56)]: 1 } };
  expect(run({ type: "flatten_object", separator: "_" }, values)).toEqual({
    out: values,
    failures: ["A key would be longer than 256 bytes."],
  });
});

test("steps that do too much work on one message are left out, and the message stays", () => {
  const step = { type: "string_transform", keys: ["*"], operation: "replace", search: "a", text: "b" };
  const steps = compileSteps(Array.from({ length: 50 }, () => step));
  const values = Object.fromEntries(
    Array.from({ length: 100 }, (_, index) => [`key${index}`, "a".repeat(1_000)]),
  );
  const failures: string[] = [];
  const message = runSteps(
    steps,
    { ts: 0, values },
    {
      context: { deviceId: "", tenantId: "", profileId: "", attribute: () => undefined },
      onFailure: ({ reason }) => failures.push(reason.code),
    },
  );
  expect(message?.values.size).toBe(100);
  expect(new Set(failures)).toEqual(new Set(["message.too_much_work"]));
  // Every attempt spends of the same budget.
  expect(stepWork.spent).toBeLessThan(2 * STEP_WORK_MAX);
  expect(
    runSteps(
      steps.slice(0, 1),
      { ts: 0, values: { a: "aa" } },
      {
        context: { deviceId: "", tenantId: "", profileId: "", attribute: () => undefined },
        onFailure: ({ reason }) => failures.push(reason.code),
      },
    )?.values.get("a"),
  ).toBe("bb");
});

test("a condition that looks through long texts too often is left out, and the message stays", () => {
  const any = Array.from({ length: 190 }, (_, index) => ({ key: "a", op: "CONTAINS", value: `no ${index}` }));
  const steps = Array.from({ length: 50 }, () => ({ type: "conditional_drop", condition: { any } }));
  const failures: string[] = [];
  const message = runSteps(
    compileSteps(steps),
    { ts: 0, values: { a: "n".repeat(60_000) } },
    {
      context: { deviceId: "", tenantId: "", profileId: "", attribute: () => undefined },
      onFailure: ({ reason }) => failures.push(reason.code),
    },
  );
  expect(message?.values.size).toBe(1);
  expect(new Set(failures)).toEqual(new Set(["message.too_much_work"]));
  expect(stepWork.spent).toBeLessThan(2 * STEP_WORK_MAX);
});
