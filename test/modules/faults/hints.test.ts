import { expect, test } from "bun:test";
import english from "../../../src/lib/texts/server.en.json";
import { hintOf } from "../../../src/modules/faults/faults.wire.ts";
import { REFUSAL_REASONS } from "../../../src/modules/faults/refusals.types.ts";

test("every hint belongs to a reason, and is found by its code", () => {
  const hints = Object.keys(english).flatMap(
    (code) => /^(fault|refusal)_hint\.(.+)$/.exec(code)?.slice(1) ?? [],
  );
  expect(hints.length).toBeGreaterThan(40);
  for (let index = 0; index < hints.length; index += 2) {
    const code = hints[index] === "fault" ? (hints[index + 1] ?? "") : `refusal.${hints[index + 1]}`;
    expect([code, Object.hasOwn(english, code)]).toEqual([code, true]);
    expect(hintOf({ code, params: {} }).hint?.message).toBeString();
  }
});

test("every reason of a refusal has a text", () => {
  for (const reason of REFUSAL_REASONS) expect(english[`refusal.${reason}`]).toBeString();
});
