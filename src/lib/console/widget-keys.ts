import { isJsonObject } from "../json/json.ts";

/** Max. displayed keys of a widget. */
export const WIDGET_KEYS_MAX = 50;

type Config = Readonly<Record<string, unknown>>;

/** Returns the stored symbols of a widget, without entries that are not objects. */
export function symbolEntries({ symbols }: Config): Config[] {
  const all: readonly unknown[] = Array.isArray(symbols) ? symbols : [];
  return all.filter(isJsonObject);
}

const isKey = (key: unknown): key is string => typeof key === "string" && key !== "";

/** Returns the distinct telemetry keys of a widget, from `keys`, otherwise from `key`, or from its `symbols`. */
export function widgetKeys({ keys, key, symbols }: Config): string[] {
  const named: readonly unknown[] = Array.isArray(keys) ? keys : [key];
  const all = [...named, ...symbolEntries({ symbols }).map((symbol) => symbol.key)];
  return [...new Set(all.filter(isKey))];
}
