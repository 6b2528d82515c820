import { expect, test } from "bun:test";
import { FAULT_SUBJECTS } from "../../../src/lib/alarms/fault-sources.ts";
import english from "../../../src/lib/texts/server.en.json";
import { hintOf } from "../../../src/modules/faults/faults.wire.ts";
import { REFUSAL_REASONS } from "../../../src/modules/faults/refusals.types.ts";

test("every hint belongs to a reason, and is found by its code", () => {
  const hints = Object.keys(english).flatMap(
    (code) => /^(fault|refusal)_hint\.(.+)$/.exec(code)?.slice(1) ?? [],
  );
  expect(hints.length).toBeGreaterThan(40);
  for (let index = 0; index < hints.length; index += 2) {
    const [, reason = "", kind] = /^(.+?)(?:\.(alarm|notification))?$/.exec(hints[index + 1] ?? "") ?? [];
    const code = hints[index] === "fault" ? reason : `refusal.${reason}`;
    expect([code, Object.hasOwn(english, code)]).toEqual([code, true]);
    const subjectKind = FAULT_SUBJECTS.find((subject) => subject === kind);
    expect(hintOf({ code, params: {} }, subjectKind).hint?.code).toBe(
      `${hints[index]}_hint.${hints[index + 1]}`,
    );
  }
});

test("every reason of a refusal has a text", () => {
  for (const reason of REFUSAL_REASONS) expect(english[`refusal.${reason}`]).toBeString();
});

test("the hint of a webhook that was given up names the page of what sends it", () => {
  const hintFor = (kind?: "alarm" | "pipeline") =>
    hintOf({ code: "fault.delivery_dead", params: {} }, kind).hint?.message;
  expect(hintFor("pipeline")).toContain("page of the pipeline");
  expect(hintFor("alarm")).toContain("page of the alarm rule");
});
