import { expect, test } from "bun:test";
import { normalizeEmail } from "../../../src/lib/strings/normalize-email.ts";

test("only ASCII letters are lowered, so no other character becomes one", () => {
  expect(normalizeEmail("  Nina.Kurz@PLANT.Example ")).toBe("nina.kurz@plant.example");
  for (let code = 0x80; code <= 0xff_ff; code++) {
    const character = String.fromCharCode(code);
    const email = normalizeEmail(`a${character}b@x`);
    expect(email === `a${character}b@x` || email === "ab@x").toBe(true);
  }
});
