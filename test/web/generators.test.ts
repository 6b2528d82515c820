import { describe, expect, test } from "bun:test";
import { checkConfig } from "../../src/modules/generators/generator-config.ts";
import { configOf, formOf, newRow } from "../../src/web/features/generators/generator-form.ts";
import { configProblem } from "../../src/web/features/generators/generator-text.ts";
import { loadLanguage } from "../../src/web/platform/i18n/i18n.ts";
import { language } from "../../src/web/platform/preferences.ts";

await loadLanguage("en");
language.value = "en";

describe("the form of a generator", () => {
  test("gives back what it was given", () => {
    const config = {
      intervalSeconds: 0.5,
      metrics: [
        { key: "a", min: -1.5, max: 2, pattern: "walk" as const, decimals: 2, step: 0.1 },
        { key: "b", min: 0, max: 1e-7, pattern: "sine" as const, periodSeconds: 60 },
      ],
      deviceIds: ["one"],
    };
    expect(configOf(formOf(config))).toEqual(config);
  });

  test("begins with something that can be sent", () => {
    const form = formOf(undefined);
    expect(checkConfig(configOf(form)).errors).toEqual([]);
  });

  test("keeps what belongs to another pattern to itself", () => {
    const row = { ...newRow("a"), pattern: "random" as const, step: "2", periodSeconds: "9" };
    const { metrics } = configOf({ intervalMs: 1_000, rows: [row], deviceIds: undefined });
    expect(metrics).toEqual([{ key: "a", min: 0, max: 100, pattern: "random" }]);
  });

  test("leaves it to the gateway to refuse what is no number", () => {
    const row = { ...newRow("a"), min: "1,5", max: "" };
    const form = { intervalMs: 1_000, rows: [row], deviceIds: undefined };
    expect(checkConfig(configOf(form)).errors.map((error) => configProblem(error))).toMatchObject([
      { row: 0, field: "min", text: "Must be a number." },
      { row: 0, field: "max", text: "Must be a number." },
    ]);
  });
});

describe("what the gateway says of a config", () => {
  const metric = { key: "a", min: 0, max: 10 };
  const whole = { intervalSeconds: 10, metrics: [metric] };
  const wrong = (fields: object) => ({ ...whole, metrics: [{ ...metric, ...fields }] });
  const rows: Array<[field: string | undefined, config: unknown]> = [
    ["interval", { ...whole, intervalSeconds: null }],
    ["interval", { ...whole, intervalSeconds: 0.5 }],
    [
      "interval",
      { ...whole, intervalSeconds: 0.1, deviceIds: Array.from({ length: 200 }, (_, i) => `${i}`) },
    ],
    ["devices", { ...whole, deviceIds: [] }],
    ["devices", { ...whole, deviceIds: Array.from({ length: 1_001 }, (_, i) => `${i}`) }],
    ["metrics", { ...whole, metrics: Array(101).fill(metric) }],
    ["key", wrong({ key: "" })],
    ["key", { ...whole, metrics: [metric, metric] }],
    ["min", wrong({ min: null })],
    ["max", wrong({ max: "x" })],
    ["max", wrong({ min: 20 })],
    ["max", wrong({ min: 10 })],
    ["decimals", wrong({ decimals: 99 })],
    ["decimals", wrong({ decimals: 1.5 })],
    ["decimals", wrong({ min: 0.1, max: 0.2, decimals: 0 })],
    ["step", wrong({ pattern: "walk", step: -1 })],
    ["step", wrong({ pattern: "walk", step: 11 })],
    ["step", wrong({ pattern: "counter", step: 0.25, decimals: 1 })],
    ["periodSeconds", wrong({ pattern: "sine", periodSeconds: 0 })],
    ["periodSeconds", wrong({ pattern: "sine", periodSeconds: 11 })],
  ];
  test.each(rows)("stands at the field, in the reader's words: %s", (field, config) => {
    const { errors, warnings } = checkConfig(config);
    const said = [...errors, ...warnings];
    expect(said.length).toBeGreaterThan(0);
    for (const text of said) {
      const problem = configProblem(text);
      expect(problem.field as string | undefined).toBe(field);
      expect(problem.text).not.toContain("metrics[");
    }
  });
});
