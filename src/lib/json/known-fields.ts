/*
 * Checks objects for unknown fields. Saving an unknown field is refused, because it may be misspelled. When reading stored data, unknown fields are
 * ignored, so that rules and steps from other versions keep working.
 */

/** True while stored data is read. The type of `readStored` refuses asynchronous work, which would leave it set for others. */
let isStored = false;

/** Runs `read` on stored data, as opposed to data to be saved. */
export function readStored<Result>(read: () => Result extends Promise<unknown> ? never : Result): Result {
  const before = isStored;
  isStored = true;
  try {
    return read();
  } finally {
    isStored = before;
  }
}

/** Returns whether stored data is being read, for which checks only refuse data that cannot be run. */
export const isReadingStored = (): boolean => isStored;

/** Returns the first unknown field of the object; undefined if there is none, and for stored data. */
export const unknownFieldOf = (node: object, isField: (name: string) => boolean): string | undefined =>
  isStored ? undefined : Object.keys(node).find((name) => !isField(name));
