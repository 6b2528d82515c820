import { describe, expect, test } from "bun:test";
import { planReads } from "../../../src/lib/modbus/read-plan.ts";
import { decodeRegister } from "../../../src/lib/modbus/register-values.ts";
import { modbusTemplates } from "../../../src/modules/modbus/modbus-templates.ts";
import { ensureRegisters } from "../../../src/modules/modbus/register-checks.ts";

const templates = modbusTemplates();

test("templates have distinct ids", () => {
  expect(new Set(templates.map(({ templateId }) => templateId)).size).toBe(templates.length);
});

describe.each(templates.map((template) => [template.templateId, template] as const))(
  "template %s",
  (_, template) => {
    test("has registers that can be, and names its source", () => {
      expect(() => ensureRegisters(template.registers)).not.toThrow();
      expect(template.registers.length).toBeGreaterThan(0);
      expect(template.source).not.toBe("");
    });

    test("has keys in one style and no two values in one place", () => {
      for (const { key } of template.registers) expect(key).toMatch(/^[a-z][a-z0-9_]*$/);
      const places = template.registers.map(({ area, address, bit }) => `${area} ${address} ${bit}`);
      expect(new Set(places).size).toBe(places.length);
    });

    test("has no value that overlaps with another", () => {
      for (const { range, registers } of planReads(template.registers)) {
        const whole = registers.filter(({ bit }) => bit === undefined);
        const words = whole.flatMap((register) =>
          planReads([register]).flatMap(({ range: { address, count } }) =>
            Array.from({ length: count }, (_unused, index) => address + index),
          ),
        );
        expect(new Set(words).size).toBe(words.length);
        expect(range.count).toBeLessThanOrEqual(125);
      }
    });
  },
);

test("what a meter has for no value is no value", () => {
  const abb = templates.find(({ templateId }) => templateId === "abb-b23-b24");
  for (const register of abb?.registers ?? []) {
    const first = register.type.startsWith("INT") ? 0x7fff : 0xffff;
    expect(decodeRegister(register, [first, 0xffff, 0xffff, 0xffff].slice(0, sizeFor(register.type)))).toBe(
      undefined,
    );
  }
});

const sizeFor = (type: string): number => Number(type.replace(/\D/g, "")) / 16;
