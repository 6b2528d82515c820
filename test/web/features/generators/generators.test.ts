import { describe, expect, test } from "bun:test";
import { checkConfig } from "../../../../src/modules/generators/generator-config.ts";
import {
  generatorForm,
  inputOf,
  newRow,
  rowsOf,
  valuesOf,
} from "../../../../src/web/features/generators/generator-form.tsx";
import { configProblem } from "../../../../src/web/features/generators/generator-text.ts";
import type { Generator, GeneratorConfig } from "../../../../src/web/features/generators/generators-api.ts";
import { loadLanguage } from "../../../../src/web/platform/i18n/i18n.ts";
import { language } from "../../../../src/web/platform/preferences.ts";
import { sentValues } from "../../../../src/web/ui/form/form-definition.ts";

await loadLanguage("en");
language.value = "en";

const stored = (config: GeneratorConfig) => ({ name: "a", config }) as Generator; // the form reads no more
const sent = (generator: Generator | undefined, rows = rowsOf(generator)) =>
  inputOf(sentValues(generatorForm, valuesOf(generator)), rows).config;

describe("the form of a generator", () => {
  test("gives back what it was given", () => {
    const config: GeneratorConfig = {
      intervalSeconds: 0.5,
      metrics: [
        { key: "a", min: -1.5, max: 2, pattern: "walk", decimals: 2, step: 0.1 },
        { key: "b", min: 0, max: 1e-7, pattern: "sine", periodSeconds: 60 },
      ],
      deviceIds: ["one"],
    };
    expect<GeneratorConfig>(sent(stored(config))).toEqual(config);
  });

  test("begins with something that can be sent", () => {
    expect(checkConfig(sent(undefined)).errors).toEqual([]);
  });

  test("keeps what belongs to another pattern to itself", () => {
    const row = newRow({ key: "a", min: 0, max: 100, pattern: "random", step: 2, periodSeconds: 9 });
    const { metrics } = sent(undefined, [row]);
    expect(metrics).toEqual([{ key: "a", min: 0, max: 100, pattern: "random" }]);
  });

  test("leaves it to the gateway to refuse a range without an end", () => {
    const { errors } = checkConfig(sent(undefined, [newRow({ key: "a", min: 0 })]));
    expect(errors.map((error) => configProblem(error))).toMatchObject([{ row: 0, field: "max" }]);
  });
});

describe("what the gateway says of a config", () => {
  const metric = { key: "a", min: 0, max: 10 };
  const whole = { intervalSeconds: 10, metrics: [metric] };
  const wrong = (fields: object) => ({ ...whole, metrics: [{ ...metric, ...fields }] });
  const rows: Array<[field: string | undefined, config: unknown]> = [
    ["intervalSeconds", { ...whole, intervalSeconds: null }],
    ["intervalSeconds", { ...whole, intervalSeconds: 0.5 }],
    [
      "intervalSeconds",
      { ...whole, intervalSeconds: 0.1, deviceIds: Array.from({ length: 200 }, (_, i) => `${i}`) },
    ],
    ["deviceIds", { ...whole, deviceIds: [] }],
    ["deviceIds", { ...whole, deviceIds: Array.from({ length: 1_001 }, (_, i) => `${i}`) }],
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
