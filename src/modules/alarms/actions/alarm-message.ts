import type { Comparison, ConditionScope } from "../../../lib/alarms/condition.ts";
import { joinParts, type MessagePart, partOf } from "../../../lib/alarms/message-parts.ts";
import { omit } from "../../../lib/core/omit.ts";
import type { KeyMetadataMap } from "../../../lib/keys/key-metadata.ts";
import type { Alarm } from "../alarms.types.ts";
import type { KnownValue } from "../engine/device-state.ts";

const MESSAGE_MAX = 1_000;
/** Max. comparisons in a message without a template. */
const TOLD_MAX = 3;
const PLACEHOLDER = /\$\{([^{}]{1,256})\}/g;

const words = { GT: "above", GE: "atLeast", LT: "below", LE: "atMost", NE: "not" } as const;

/** Renders a comparison that holds: "Temperature is 71.2 °C, above 70 °C". */
function tellComparison(
  { key, op, against }: Comparison,
  scope: ConditionScope,
  keys?: KeyMetadataMap,
): MessagePart[] {
  const metadata = keys?.get(key);
  const name = metadata?.name ?? key;
  if (op === "NO_DATA") return [name, { word: "noData" }];
  const told: MessagePart[] = [name, { word: "is" }, partOf(scope.key(key), metadata, "")];
  const limit = (value: unknown) => partOf(value, metadata && omit(metadata, "decimals"), "");
  const compared = against(scope);
  if (op === "BETWEEN" && Array.isArray(compared))
    return [...told, { word: "between" }, limit(compared[0]), { word: "and" }, limit(compared[1])];
  return op in words ? [...told, { word: words[op as keyof typeof words] }, limit(compared)] : told;
}

/** Returns the parts of a condition that hold; none if only a `not` holds, or a time has passed. */
export const tellCondition = (
  comparisons: readonly Comparison[],
  scope: ConditionScope,
  keys?: KeyMetadataMap,
): MessagePart[] =>
  comparisons
    .filter(({ test }) => test(scope))
    .slice(0, TOLD_MAX)
    .flatMap((comparison, index) => [
      ...(index > 0 ? [{ word: "also" } as const] : []),
      ...tellComparison(comparison, scope, keys),
    ]);

type Names = Readonly<Record<"deviceName" | "alarmType" | "severity", string>>;

interface Rendered {
  readonly values: ReadonlyMap<string, KnownValue>;
  readonly keys?: KeyMetadataMap;
  /** Returns the parts of the message of a rule without a template. */
  readonly told?: () => readonly MessagePart[];
}

function* partsOf(template: string, names: Names, { values, keys }: Rendered): Generator<MessagePart> {
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const [whole, name = ""] = match;
    yield template.slice(end, match.index);
    end = match.index + whole.length;
    if (name === "deviceName" || name === "alarmType" || name === "severity") yield names[name];
    else yield partOf(values.get(name)?.value, keys?.get(name), template.slice(end));
  }
  yield template.slice(end);
}

/**
 * Fills a template: `${deviceName}`, `${alarmType}`, `${severity}` and values of keys, with the key's unit and decimals; a dash for missing values.
 * Without a template, the message is `told`, or the alarm type. The message is in English; its parts can be rendered in any language, and are null
 * if nothing varies.
 */
export function renderMessage(
  template: string,
  names: Names,
  rendered: Rendered,
): Pick<Alarm, "message" | "messageParts"> {
  const parts: MessagePart[] = [];
  /** Characters so far. Beyond the limit, values are no longer read: a value of 64 KiB could be inserted a hundred times. */
  let filled = 0;
  for (const part of template === "" ? (rendered.told?.() ?? []) : partsOf(template, names, rendered)) {
    const shortened = typeof part === "string" ? part.slice(0, MESSAGE_MAX - filled) : part;
    filled += joinParts([shortened], "en").length;
    if (shortened !== "") parts.push(shortened);
    if (filled >= MESSAGE_MAX) break;
  }
  if (parts.length === 0) return { message: template === "" ? names.alarmType : "", messageParts: null };
  const isPlain = parts.every((part) => typeof part === "string");
  return { message: joinParts(parts, "en").slice(0, MESSAGE_MAX), messageParts: isPlain ? null : parts };
}
