import { isJsonObject } from "../json/json.ts";

/** The first keys of a widget, which it shows. */
export const WIDGET_KEYS_MAX = 50;

type Config = Readonly<Record<string, unknown>>;

/** Returns the symbols of a widget as they are stored; what is no object is left out. */
export function symbolEntries({ symbols }: Config): Config[] {
  const all: readonly unknown[] = Array.isArray(symbols) ? symbols : [];
  return all.filter(isJsonObject);
}

const isKey = (key: unknown): key is string => typeof key === "string" && key !== "";

/** Returns the telemetry keys that a widget names in `keys`, or else in `key`, or in its `symbols`, each once. */
export function widgetKeys({ keys, key, symbols }: Config): string[] {
  const named: readonly unknown[] = Array.isArray(keys) ? keys : [key];
  const all = [...named, ...symbolEntries({ symbols }).map((symbol) => symbol.key)];
  return [...new Set(all.filter(isKey))];
}
