import type { AttributeEntry, DesiredState } from "./attributes.types.ts";

/** The SHARED attributes of a device, each beside the CLIENT one of its name. Objects are equal in whatever order their keys are. */
export function compareStates(
  desired: readonly AttributeEntry[],
  reported: readonly AttributeEntry[],
): DesiredState[] {
  const byKey = new Map(reported.map((entry) => [entry.key, entry]));
  return desired.map(({ key, value, updatedAt }) => {
    const answer = byKey.get(key);
    const wanted = { key, desired: value, desiredAt: updatedAt };
    if (answer === undefined) return { ...wanted, state: "NOT_REPORTED" };
    return {
      ...wanted,
      reported: answer.value,
      reportedAt: answer.updatedAt,
      state: Bun.deepEquals(value, answer.value) ? "IN_SYNC" : "DIFFERENT",
    };
  });
}
