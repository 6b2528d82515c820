import { expect, test } from "bun:test";
import type { ProfileForm } from "../../../../src/web/features/profiles/profiles-api.ts";
import {
  isValidDraft,
  newDraft,
  toDraft,
  toRule,
} from "../../../../src/web/features/profiles/request-drafts.ts";

const rules: ProfileForm["deviceRequests"] = [
  { method: "a", reply: { low: 1, list: [null, true] } },
  { method: "b", reply: null },
  { method: "c", reply: "text" },
  { method: "d", script: "function transform() { return 1; }" },
];

test.each([...rules])("a rule is the same after it was edited: %o", (rule) => {
  const draft = toDraft(rule);
  expect(isValidDraft(draft)).toBe(true);
  expect(toRule(draft)).toEqual(rule);
});

test("a reply that is no JSON, and an empty script, cannot be saved", () => {
  expect(isValidDraft({ ...newDraft, text: "{a: 1}" })).toBe(false);
  expect(isValidDraft({ method: "a", kind: "script", text: "  " })).toBe(false);
  expect(toRule({ ...newDraft, method: " a " })).toEqual({ method: "a", reply: {} });
});
