interface ChangedField {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const show = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);

/** A change field by field; what was made or deleted has one side only. */
export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [was, is] = [before, after].map((side) =>
    isObject(side) ? side : side === undefined ? {} : { "": side },
  ) as [Record<string, unknown>, Record<string, unknown>]; // two go in, two come out
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].sort().map((field) => ({
    field,
    before: Object.hasOwn(was, field) ? show(was[field]) : undefined,
    after: Object.hasOwn(is, field) ? show(is[field]) : undefined,
  }));
}
