import { invalid } from "../../../lib/core/domain-error.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Fields } from "./fields.ts";

const PATH_CHARACTERS_MAX = 256;
const SEGMENTS_MAX = 16;
const SEGMENT = /(?:^|\.)([^.[\]]+)|\[(\d{1,6})\]/y;

/** Path of a value in a body: `payload.sensors[0].value`. A leading `$.` starts at the whole body instead of an item. */
export interface BodyPath {
  readonly segments: readonly (string | number)[];
  readonly isFromRoot: boolean;
}

const wrong = (text: string) => invalid("integration.path_invalid", { path: excerpt(text) });

/** @throws DomainError `integration.path_invalid`. */
export function parsePath(text: string): BodyPath {
  if (text.length > PATH_CHARACTERS_MAX) throw wrong(text);
  const isFromRoot = text === "$" || text.startsWith("$.") || text.startsWith("$[");
  const rest = isFromRoot ? text.slice(text[1] === "." ? 2 : 1) : text;
  const segments: (string | number)[] = [];
  if (rest.startsWith(".")) throw wrong(text);
  SEGMENT.lastIndex = 0;
  while (SEGMENT.lastIndex < rest.length) {
    const found = SEGMENT.exec(rest);
    if (found === null) throw wrong(text);
    segments.push(found[1] ?? Number(found[2]));
  }
  if ((segments.length === 0 && !isFromRoot) || segments.length > SEGMENTS_MAX) throw wrong(text);
  return { segments, isFromRoot };
}

/** Returns the value at the path; undefined if there is none. Inherited properties are ignored. */
export function valueAt(path: BodyPath, item: unknown, root: unknown): unknown {
  let value = path.isFromRoot ? root : item;
  for (const name of path.segments) {
    if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return undefined;
    const isThere = typeof name === "number" ? Array.isArray(value) : !Array.isArray(value);
    if (!isThere || !Object.hasOwn(value, name)) return undefined;
    value = (value as Fields)[name]; // an object or a list, as was just looked
  }
  return value;
}
