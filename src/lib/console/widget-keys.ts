import { isJsonObject } from "../json/json.ts";

/** The first keys of a widget, which it shows. */
export const WIDGET_KEYS_MAX = 50;

type Config = Readonly<Record<string, unknown>>;

const isKey = (key: unknown): key is string => typeof key === "string" && key !== "";

/** Returns the telemetry keys that a widget names in `keys`, or else in `key`, or in its `symbols`, each once. */
export function widgetKeys({ keys, key, symbols }: Config): string[] {
  const named: readonly unknown[] = Array.isArray(keys) ? keys : [key];
  const ofSymbols: readonly unknown[] = Array.isArray(symbols) ? symbols : [];
  const all = [...named, ...ofSymbols.map((symbol) => (isJsonObject(symbol) ? symbol.key : undefined))];
  return [...new Set(all.filter(isKey))];
}
