import { hasSecret, secretNameOf } from "./references.ts";
import { type FieldPath, type Fields, isFields } from "./site.types.ts";

/** Difference between a value in the file and in the gateway; undefined for a missing value. */
export interface Difference {
  readonly path: FieldPath;
  readonly from: unknown;
  readonly to: unknown;
}

interface Comparison {
  /** Returns the text of a file with its secrets from the environment; undefined if one is missing. */
  readonly revealed: (text: string) => string | undefined;
  /** True if secrets of the environment replace those of the gateway. */
  readonly setsSecrets: boolean;
  /** True if names that the file omits are ignored. */
  readonly isPartial: boolean;
}

const isNone = (value: unknown): value is null | undefined => value === null || value === undefined;

function compareTexts(to: unknown, from: unknown, comparison: Comparison): boolean {
  if (!hasSecret(to)) return Object.is(to, from);
  const revealed = comparison.revealed(to);
  const isKept = secretNameOf(to) !== undefined && secretNameOf(from) !== undefined;
  if (isKept) return !(comparison.setsSecrets && revealed !== undefined);
  return revealed !== undefined && revealed === from;
}

/** Returns the differences of two values, each with its path. */
export function differencesOf(
  to: unknown,
  from: unknown,
  comparison: Comparison,
  path: FieldPath = [],
): Difference[] {
  if (isNone(to) && isNone(from)) return [];
  if (Array.isArray(to) && Array.isArray(from)) {
    const length = Math.max(to.length, from.length);
    return Array.from({ length }).flatMap((_, index) =>
      differencesOf(to[index], from[index], comparison, [...path, index]),
    );
  }
  if (isFields(to) && isFields(from)) {
    const names = new Set([...Object.keys(to), ...(comparison.isPartial ? [] : Object.keys(from))]);
    return [...names].flatMap((name) =>
      differencesOf(own(to, name), own(from, name), comparison, [...path, name]),
    );
  }
  return compareTexts(to, from, comparison) ? [] : [{ path, from, to }];
}

const own = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const TEXT_MAX = 60;

/** Formats a value of a plan in one short line. */
export function showValue(value: unknown): string {
  const text = value === undefined ? "(none)" : JSON.stringify(value);
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
