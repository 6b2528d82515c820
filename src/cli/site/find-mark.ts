import { differencesOf } from "./differences.ts";
import { type FieldPath, type Fields, formatPath, isFields } from "./site.types.ts";
import type { CurrentObject } from "./snapshot.ts";

function valueAt(fields: Fields, path: FieldPath): unknown {
  let value: unknown = fields;
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)];
    else value = isFields(value) && Object.hasOwn(value, part) ? value[String(part)] : undefined;
  }
  return value;
}

/** Returns whether the list item (otherwise the field) around a secret is equal in the file and on the gateway. */
function isInSameItem(fields: Fields, current: Fields, path: FieldPath): boolean {
  const index = path.findLastIndex((part) => typeof part === "number");
  const item = path.slice(0, Math.max(index + 1, 1));
  const comparison = { revealed: () => undefined, setsSecrets: false, isPartial: false };
  return differencesOf(valueAt(fields, item), valueAt(current, item), comparison).length === 0;
}

/**
 * Returns the mark that keeps a secret of the gateway: at the same position if its surroundings are unchanged, otherwise with the same name,
 * otherwise at the same position.
 */
export function findMark(
  { fields, current }: { fields: Fields; current: CurrentObject | undefined },
  name: string,
  path: FieldPath,
): { readonly mark: unknown } | undefined {
  if (current === undefined) return undefined;
  const { marks } = current;
  const place = formatPath(path);
  const names = isInSameItem(fields, current.fields, path) ? [place, name] : [name, place];
  const found = names.find((candidate) => marks.has(candidate));
  return found === undefined ? undefined : { mark: marks.get(found) };
}
