import type { KnownValue } from "./device-state.ts";

const MESSAGE_MAX = 1_000;
const placeholder = /\$\{([^{}]{1,256})\}/g;

/** `${deviceName}`, `${alarmType}`, `${severity}` and values of keys; a dash for what is not there. */
export function renderMessage(
  template: string,
  names: Readonly<Record<"deviceName" | "alarmType" | "severity", string>>,
  values: ReadonlyMap<string, KnownValue>,
): string {
  if (template === "") return names.alarmType;
  const textOf = (name: string): string => {
    if (name === "deviceName" || name === "alarmType" || name === "severity") return names[name];
    const value = values.get(name)?.value;
    if (value === undefined) return "–";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  };
  /** Bytes of the values so far. Beyond the limit no value is read any more: one of 64 KiB could be inserted a hundred times. */
  let filled = 0;
  return template
    .replace(placeholder, (_, name: string) => {
      if (filled >= MESSAGE_MAX) return "";
      const text = textOf(name).slice(0, MESSAGE_MAX);
      filled += text.length;
      return text;
    })
    .slice(0, MESSAGE_MAX);
}
