import type { KeyMetadataMap } from "../../lib/key-metadata.ts";
import { joinParts, type MessagePart, partOf } from "../../lib/message-parts.ts";
import type { Alarm } from "./alarms.types.ts";
import type { KnownValue } from "./device-state.ts";

const MESSAGE_MAX = 1_000;
const PLACEHOLDER = /\$\{([^{}]{1,256})\}/g;

/**
 * Fills a template: `${deviceName}`, `${alarmType}`, `${severity}` and values of keys, with the unit and the decimals of the key; a dash for
 * what is not there. The message is in English; the parts are for readers of any language, and null where nothing depends on it.
 */
export function renderMessage(
  template: string,
  names: Readonly<Record<"deviceName" | "alarmType" | "severity", string>>,
  { values, keys }: { values: ReadonlyMap<string, KnownValue>; keys?: KeyMetadataMap },
): Pick<Alarm, "message" | "messageParts"> {
  if (template === "") return { message: names.alarmType, messageParts: null };
  const parts: MessagePart[] = [];
  /** Characters so far. Beyond the limit no value is read any more: one of 64 KiB could be inserted a hundred times. */
  let filled = 0;
  const add = (part: MessagePart): void => {
    const shortened = typeof part === "string" ? part.slice(0, MESSAGE_MAX - filled) : part;
    filled += joinParts([shortened], "en").length;
    if (shortened !== "") parts.push(shortened);
  };
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    if (filled >= MESSAGE_MAX) break;
    const [whole, name = ""] = match;
    add(template.slice(end, match.index));
    end = match.index + whole.length;
    if (filled >= MESSAGE_MAX) break;
    if (name === "deviceName" || name === "alarmType" || name === "severity") add(names[name]);
    else add(partOf(values.get(name)?.value, keys?.get(name), template.slice(end)));
  }
  add(template.slice(end));
  const isPlain = parts.every((part) => typeof part === "string");
  return { message: joinParts(parts, "en").slice(0, MESSAGE_MAX), messageParts: isPlain ? null : parts };
}
