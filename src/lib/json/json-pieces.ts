/** Approximate max. characters of a value that is serialized in one go. */
const SLICE_WEIGHT = 32 * 1024;
const NUMBER_WEIGHT = 8;

/** List that creates its items only when they are read, because all of them together would fill the memory. */
export abstract class ReadList<Item> implements Iterable<Item> {
  abstract readonly length: number;
  abstract [Symbol.iterator](): Iterator<Item>;

  toJSON(): Item[] {
    return [...this];
  }
}

const isList = (value: object): value is Iterable<unknown> =>
  Array.isArray(value) || value instanceof ReadList;

const hasOwnText = (value: object): boolean => typeof (value as { toJSON?: unknown }).toJSON === "function";

/** Returns the approximate remainder of `budget` after the JSON of the value; negative once it is used up. */
function afterWeight(value: unknown, budget: number): number {
  if (typeof value === "string") return budget - value.length - 2;
  if (typeof value !== "object" || value === null) return budget - NUMBER_WEIGHT;
  let left = budget - 2;
  if (isList(value)) {
    for (const item of value) {
      if (left < 0) break;
      left = afterWeight(item, left - 1);
    }
    return left;
  }
  if (hasOwnText(value)) return budget - NUMBER_WEIGHT;
  for (const key in value) {
    if (left < 0) return left;
    left = afterWeight(value[key as keyof typeof value], left - key.length - 4);
  }
  return left;
}

/** Returns whether the JSON of a value is longer than about `characters`, without serializing it. */
export const isLongerJson = (value: unknown, characters: number): boolean =>
  afterWeight(value, characters) < 0;

function* arrayPieces(items: Iterable<unknown>): Generator<string> {
  let isFirst = true;
  let slice: unknown[] = [];
  let left = SLICE_WEIGHT;
  function* sliced(): Generator<string> {
    if (slice.length > 0) yield `${isFirst ? "" : ","}${JSON.stringify(slice).slice(1, -1)}`;
    isFirst &&= slice.length === 0;
    slice = [];
    left = SLICE_WEIGHT;
  }
  yield "[";
  for (const item of items) {
    left = afterWeight(item, left - 1);
    if (left >= 0) {
      slice.push(item);
      continue;
    }
    yield* sliced();
    if (!isFirst) yield ",";
    isFirst = false;
    yield* jsonPieces(item);
  }
  yield* sliced();
  yield "]";
}

const isLeftOut = (value: unknown): boolean =>
  value === undefined || typeof value === "function" || typeof value === "symbol";

function* objectPieces(object: Readonly<Record<string, unknown>>): Generator<string> {
  let isFirst = true;
  let slice: Record<string, unknown> = Object.create(null);
  let left = SLICE_WEIGHT;
  function* sliced(): Generator<string> {
    const text = JSON.stringify(slice).slice(1, -1);
    slice = Object.create(null);
    left = SLICE_WEIGHT;
    if (text === "") return;
    yield isFirst ? text : `,${text}`;
    isFirst = false;
  }
  yield "{";
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (isLeftOut(value)) continue;
    left = afterWeight(value, left - key.length - 4);
    if (left >= 0) {
      slice[key] = value;
      continue;
    }
    yield* sliced();
    yield `${isFirst ? "" : ","}${JSON.stringify(key)}:`;
    isFirst = false;
    yield* jsonPieces(value);
  }
  yield* sliced();
  yield "}";
}

/** Yields the JSON of `JSON.stringify` in pieces that take at most about 1 ms each. A long string is a single piece. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (
    typeof value !== "object" ||
    value === null ||
    !isLongerJson(value, SLICE_WEIGHT) ||
    (hasOwnText(value) && !isList(value))
  ) {
    yield JSON.stringify(value) ?? "null";
    return;
  }
  if (isList(value)) yield* arrayPieces(value);
  else yield* objectPieces(value as Record<string, unknown>);
}
