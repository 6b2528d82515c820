import { expect, test } from "bun:test";
import { changedFields } from "../../../src/web/lib/changed-fields.ts";

test("only what differs is sent, and the order of a list is no difference", () => {
  const current = { fullName: "Nina", deviceIds: ["a", "b"], phone: "", level: 1, userId: "u" };
  expect(changedFields({ fullName: "Nina", deviceIds: ["b", "a"], phone: "", level: 1 }, current)).toEqual(
    {},
  );
  expect(changedFields({ fullName: "Nora", deviceIds: ["a"], phone: "+49", level: 1 }, current)).toEqual({
    fullName: "Nora",
    deviceIds: ["a"],
    phone: "+49",
  });
});

test("an emptied list and a field that was not there are changes", () => {
  const input: { deviceIds: string[]; status?: string } = { deviceIds: [], status: "DISABLED" };
  expect(changedFields(input, { deviceIds: ["a"] })).toEqual(input);
});
