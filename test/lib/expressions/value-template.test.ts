import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  parseValueTemplate,
  renderText,
  TemplateError,
} from "../../../src/lib/expressions/value-template.ts";
import { WorkBudget } from "../../../src/lib/expressions/work-budget.ts";

const read = (template: string, text: string) => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return parseValueTemplate(template)({ value: text, value_json: json as never });
};

test("reads the values that announcements ask for", () => {
  const message = JSON.stringify({ a: { b: 21.456 }, s: "7.5", on: true, list: [3, 4], "x y": 1, zero: 0 });
  const cases: [template: string, value: unknown][] = [
    ["{{ value }}", message],
    ["{{value_json.a.b}}", 21.456],
    ["{{ value_json['a']['b'] }}", 21.456],
    ['{{ value_json["x y"] }}', 1],
    ["{{ value_json.a.b | float(0) | round(1) }}", 21.5],
    ["{{ value_json.s | int }}", 7],
    ["{{ value_json.missing | default(3) }}", 3],
    ["{{ value_json.missing.deep | float(0) }}", 0],
    ["{{ value_json.missing }}", undefined],
    ["{{ value_json.list[1] }}", 4],
    ["{{ 'ON' if value_json.on else 'OFF' }}", "ON"],
    ["{{ 'yes' if value_json.missing is defined else 'no' }}", "no"],
    ["{% if value_json.zero == 0 %}off{% elif value_json.zero > 5 %}high{% else %}on{% endif %}", "off"],
    ["{{ value_json.a.b * 2 + 1 }}", 43.912],
    ["{{ (value_json.s | float) / 0 }}", undefined],
    ["{{ value_json.s in ['7.5', '8'] and not value_json.missing }}", true],
    ["{{ value_json.on }} and {{ value_json.zero }}", "True and 0"],
    ["{{ -value_json.zero - 2 | abs }}", -2],
    ["{{ value_json.__proto__ }}", undefined],
    ["{{ value_json.constructor }}", undefined],
  ];
  for (const [template, value] of cases)
    expect([template, read(template, message)] as unknown[]).toEqual([template, value]);
});

test("refuses what is outside the supported part", () => {
  for (const template of [
    "{{ states('sensor.a') }}",
    "{{ value_json.a",
    "{{ value_json. }}",
    "{{ value | regex_replace('a', 'b') }}",
    "{% for x in value_json %}{{ x }}{% endfor %}",
    "{% set x = 1 %}",
    "{% if value %}a",
    "{{ 'open }}",
    "{{ value value }}",
    "{# comment #}",
    "{{ ".repeat(50),
    `{{ ${"(".repeat(100)}1${")".repeat(100)} }}`,
    `{{ ${"not ".repeat(100)}value }}`,
    `{{ ${"1 + ".repeat(600)}1 }}`,
    "x".repeat(5_000),
  ])
    expect(() => parseValueTemplate(template)).toThrow(TemplateError);
});

test("never throws anything else, whatever the template and the message are", () => {
  const piece = fc.constantFrom(
    ...[
      "{{",
      "}}",
      "{%",
      "%}",
      "if",
      "else",
      "elif",
      "endif",
      "value",
      "value_json",
      ".a",
      "['a']",
      "|",
      "float",
    ],
    ...[
      "(",
      ")",
      "[",
      "]",
      "0",
      "1.5",
      "'x'",
      "+",
      "-",
      "*",
      "/",
      "~",
      "==",
      "<",
      "in",
      "is",
      "not",
      "defined",
    ],
    ...["round", "default", "replace", "and", "or", ",", " ", "{#", '"'],
  );
  const templates = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(" ")),
    fc.array(piece, { maxLength: 12 }).map((pieces) => `{{ ${pieces.join(" ")} }}`),
  );
  let parsed = 0;
  fc.assert(
    fc.property(templates, fc.jsonValue({ maxDepth: 3 }), (template, body) => {
      try {
        const read = parseValueTemplate(template);
        parsed++;
        const value = read({ value: JSON.stringify(body), value_json: body as never });
        expect(typeof renderText(value)).toBe("string");
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
      }
    }),
    { numRuns: 3_000 },
  );
  expect(parsed).toBeGreaterThan(0);
});

test("bounds the text that a template produces", () => {
  const grown = `{{ value${" | replace('a', 'aaaaaaaaaa')".repeat(60)} }}`;
  expect(String(read(grown, "a")).length).toBeLessThanOrEqual(8_192);
  expect(read(`{{ value${" ~ value".repeat(100)} }}`, "x".repeat(4_000))).toBeUndefined();
});

test("neither filters nor calculations look at a text longer than they may make", () => {
  const long = "ab".repeat(5_000);
  for (const filter of ["lower", "upper", "trim", "string", "replace('a', 'b')", "float", "bool"]) {
    const work = new WorkBudget(1_000);
    const value = parseValueTemplate(`{{ value | ${filter} }}`)({ value: long, work });
    expect([filter, value || undefined]).toEqual([filter, undefined]);
    expect(work.spent).toBeLessThan(10);
  }
  const work = new WorkBudget(1_000);
  expect(parseValueTemplate("{{ value ~ 'x' }}")({ value: long, work })).toBeUndefined();
  expect(work.spent).toBeLessThan(10);
});

test("work is counted by the characters that filters touch, and refused beyond the budget", () => {
  const template = parseValueTemplate("{{ value | lower | upper | lower }}");
  const work = new WorkBudget(10_000);
  template({ value: "x".repeat(1_000), work });
  expect(work.spent).toBeGreaterThanOrEqual(3_000);
  expect(() => {
    for (let index = 0; index < 4; index++) template({ value: "x".repeat(1_000), work });
  }).toThrow("more than 10000 steps");
});
