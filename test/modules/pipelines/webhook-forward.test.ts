import { describe, expect, test } from "bun:test";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import type { StepRequest } from "../../../src/modules/pipelines/step.types.ts";
import { compileSteps, runSteps } from "../../../src/modules/pipelines/step-engine.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";

const URL = "https://erp.example/in";
const context = { deviceId: "d", tenantId: "t", profileId: "p", attribute: () => undefined };
const whose = { deviceId: "d", tenantId: "t", profileId: "p" };

function run(steps: unknown[], values: Record<string, unknown>) {
  const requests: StepRequest[] = [];
  const failures: string[] = [];
  const message = runSteps(
    compileSteps(steps),
    { ts: 7, values: values as Record<string, TelemetryValue> },
    {
      context,
      onFailure: ({ reason }) => failures.push(inEnglish(reason)),
      onOutgoing: ({ outgoing = [] }) => requests.push(...outgoing),
    },
  );
  const out = message && Object.fromEntries(message.values);
  return { out, failures, requests, bodies: requests.map(({ body }) => JSON.parse(body)) };
}
const forward = (fields: Record<string, unknown> = {}) => ({ type: "webhook_forward", url: URL, ...fields });

describe("webhook_forward", () => {
  const rows: Array<[name: string, steps: unknown[], values: Record<string, unknown>, bodies: unknown[]]> = [
    ["tells whose message it is", [forward()], { a: 1 }, [{ ts: 7, ...whose, telemetry: { a: 1 } }]],
    [
      "does not when told so",
      [forward({ includeContext: false })],
      { a: 1 },
      [{ ts: 7, telemetry: { a: 1 } }],
    ],
    [
      "keeps types as they are",
      [forward({ includeContext: false })],
      { n: 1.5, b: false, s: "1", o: { x: [1, null] } },
      [{ ts: 7, telemetry: { n: 1.5, b: false, s: "1", o: { x: [1, null] } } }],
    ],
    [
      "sends the message as it is at that step",
      [
        { type: "scale_keys", keys: ["a"], factor: 2 },
        forward({ includeContext: false }),
        { type: "scale_keys", keys: ["a"], factor: 10 },
      ],
      { a: 1 },
      [{ ts: 7, telemetry: { a: 2 } }],
    ],
    [
      "may come twice",
      [
        forward({ includeContext: false }),
        { type: "drop_keys", keys: ["b"] },
        forward({ includeContext: false }),
      ],
      { a: 1, b: 2 },
      [
        { ts: 7, telemetry: { a: 1, b: 2 } },
        { ts: 7, telemetry: { a: 1 } },
      ],
    ],
    ["sends nothing of an empty message", [{ type: "drop_keys", keys: ["*"] }, forward()], { a: 1 }, []],
    ["sends nothing when switched off", [forward({ enabled: false })], { a: 1 }, []],
    [
      "sends nothing of a message that was dropped before",
      [{ type: "conditional_drop", condition: { key: "a", op: "EQ", value: 1 } }, forward()],
      { a: 1 },
      [],
    ],
    [
      "has sent what is dropped later",
      [
        forward({ includeContext: false }),
        { type: "conditional_drop", condition: { key: "a", op: "EQ", value: 1 } },
      ],
      { a: 1 },
      [{ ts: 7, telemetry: { a: 1 } }],
    ],
    [
      "sends once where a later step fails and the message is begun anew",
      [forward({ includeContext: false }), { type: "derive_key", key: "c", expression: "text - 1" }],
      { text: "x" },
      [{ ts: 7, telemetry: { text: "x" } }],
    ],
    [
      "takes its fields from config",
      [{ type: "webhook_forward", config: { url: URL } }],
      { a: 1 },
      [{ ts: 7, ...whose, telemetry: { a: 1 } }],
    ],
  ];
  for (const [name, steps, values, bodies] of rows)
    test(name, () => {
      expect(run(steps, values).bodies).toEqual(bodies as never);
    });

  test("a key called __proto__ is only a key", () => {
    const values = JSON.parse('{"__proto__": 5}');
    expect(run([forward({ includeContext: false })], values).requests[0]?.body).toBe(
      '{"ts":7,"telemetry":{"__proto__":5}}',
    );
  });

  test("a body beyond a megabyte is an error of that step alone", () => {
    const { out, failures, requests } = run([forward()], { a: "x".repeat(1_100_000) });
    expect(failures).toEqual(["The body has more than 1048576 bytes."]);
    expect(requests).toEqual([]);
    expect(Object.keys(out ?? {})).toEqual(["a"]);
  });

  test("all messages share one target", () => {
    const steps = compileSteps([
      forward({ method: "PUT", timeoutMs: 500, headers: { "X-A": "b" }, secret: { sealed: "s" } }),
    ]);
    const targets = new Set<unknown>();
    for (let ts = 0; ts < 3; ts++)
      runSteps(
        steps,
        { ts, values: { a: 1 } },
        {
          context,
          onFailure: () => undefined,
          onOutgoing: ({ outgoing }) => targets.add(outgoing?.[0]?.target),
        },
      );
    expect([...targets]).toEqual([
      { url: URL, method: "PUT", headers: { "X-A": "b" }, timeoutMs: 500, secret: { sealed: "s" } },
    ]);
  });
});
