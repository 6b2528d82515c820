import { describe, expect, test } from "bun:test";
import { BYTE_ORDERS } from "../../../../src/lib/modbus/modbus-lists.ts";
import { decodeRegister } from "../../../../src/lib/modbus/register-values.ts";
import { viewOf } from "../../../../src/web/features/modbus/register-browser.tsx";
import {
  draftOf,
  problemsOf,
  type RegisterDraft,
  registerOf,
} from "../../../../src/web/features/modbus/register-draft.ts";

const register = { key: "power", area: "HOLDING_REGISTER", address: 5, type: "UINT32" } as const;
const problems = (changes: Partial<RegisterDraft>) => problemsOf({ ...draftOf(register), ...changes }, []);

describe("a register in the form", () => {
  test.each([
    register,
    { ...register, order: "CDAB", scale: 0.1, offset: -40, absent: 65_535, intervalMs: 500, writable: true },
    { ...register, bit: 3, bits: 2 },
    { ...register, type: "STRING", length: 8 },
    { key: "on", area: "COIL", address: 0, type: "BOOL", writable: true },
  ] as const)("comes back as it was: %j", (stored) => {
    expect(registerOf(draftOf(stored))).toEqual(stored);
  });

  test("loses the settings that its new type does not have", () => {
    const draft = {
      ...draftOf({ ...register, scale: 2, bit: 1, order: "DCBA" }),
      type: "STRING",
      length: "4",
    };
    expect(registerOf(draft as RegisterDraft)).toEqual({
      ...register,
      type: "STRING",
      length: 4,
      order: "DCBA",
    });
  });

  test("understands a decimal comma", () => {
    expect(registerOf({ ...draftOf(register), scale: "0,1" })).toMatchObject({ scale: 0.1 });
  });

  test("has no problem when it is complete", () => expect(problems({})).toEqual({}));

  test.each([
    [{ key: " " }, { key: "modbusProblem.needed" }],
    [{ address: "" }, { address: "modbusProblem.address" }],
    [{ address: "1.5" }, { address: "modbusProblem.address" }],
    [{ address: "65535" }, { address: "modbusProblem.end" }],
    [{ type: "STRING" }, { length: "modbusProblem.length" }],
    [{ scale: "0" }, { scale: "modbusProblem.scale" }],
    [{ offset: "x" }, { offset: "modbusProblem.number" }],
    [{ bit: "32" }, { bit: "modbusProblem.bit" }],
    [{ bit: "31", bits: "2" }, { bits: "modbusProblem.bits" }],
    [{ intervalSeconds: "0" }, { intervalSeconds: "modbusProblem.interval" }],
  ] as const)("with %j has the problem %j", (changes, expected) => {
    expect(problems(changes)).toEqual(expected);
  });

  test("must not have the key of another one", () => {
    const drafts = [draftOf(register), draftOf(register)];
    expect(drafts.map((draft) => problemsOf(draft, drafts).key)).toEqual([
      "modbusProblem.twice",
      "modbusProblem.twice",
    ]);
  });
});

describe("a word in the browser", () => {
  const words = [0x4366, 0x8000, 0xfffe];

  test.each(BYTE_ORDERS)("is shown in the order %s as the gateway would store it", (order) => {
    const stored = (type: "FLOAT32" | "INT32" | "INT16") =>
      decodeRegister(
        { area: "HOLDING_REGISTER", address: 0, type, order },
        words.slice(0, type === "INT16" ? 1 : 2),
      );
    const { float32, int32, signed } = viewOf(words, 0, order);
    expect(int32).toBe(stored("INT32") as number);
    expect(signed).toBe(stored("INT16") as number);
    expect((float32 ?? 0) / (stored("FLOAT32") as number)).toBeCloseTo(1, 5);
  });

  test("has no value of 32 bits if it is the last one", () => {
    expect(viewOf(words, 2, "ABCD")).toEqual({
      hex: "FFFE",
      unsigned: 65_534,
      signed: -2,
      float32: undefined,
      int32: undefined,
    });
  });
});
