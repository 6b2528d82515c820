/** Text of an alarm with its values separate, so that each reader gets them in their own language. */
import { formatKeyValue, unitSymbol, type ValueFormat } from "../keys/key-format.ts";
import type { KeyMetadata } from "../keys/key-metadata.ts";
import type { Language } from "../strings/preferred-language.ts";

/** Number or boolean at the time of the alarm, with the unit and decimals of its key at that time. */
export interface MessageValue {
  readonly value: number | boolean;
  readonly unit?: string;
  readonly decimals?: number;
}

/** Words between values in messages of the gateway: "Temperature" is 71.2 °C above 70 °C. */
export const MESSAGE_WORDS = [
  "is",
  "above",
  "atLeast",
  "below",
  "atMost",
  "between",
  "and",
  "not",
  "noData",
  "also",
] as const;
type MessageWord = (typeof MESSAGE_WORDS)[number];

export type MessagePart = string | MessageValue | { readonly word: MessageWord };

const texts: Readonly<Record<Language, Readonly<Record<MessageWord, string>>>> = {
  en: {
    is: " is ",
    above: ", above ",
    atLeast: ", at least ",
    below: ", below ",
    atMost: ", at most ",
    between: ", between ",
    and: " and ",
    not: ", not ",
    noData: ": no data",
    also: "; ",
  },
  de: {
    is: ": ",
    above: ", über ",
    atLeast: ", mindestens ",
    below: ", unter ",
    atMost: ", höchstens ",
    between: ", zwischen ",
    and: " und ",
    not: ", nicht ",
    noData: ": keine Daten",
    also: "; ",
  },
};

const words: Readonly<Record<Language, ValueFormat["words"]>> = {
  en: { true: "yes", false: "no" },
  de: { true: "ja", false: "nein" },
};

/** Renders the parts. A normal space precedes units: it costs less in a text message and is searchable. */
export const joinParts = (parts: readonly MessagePart[], language: Language): string =>
  parts
    .map((part) =>
      typeof part === "string"
        ? part
        : "word" in part
          ? texts[language][part.word]
          : formatKeyValue(
              part.value,
              { key: "", ...part },
              { language, words: words[language], space: " " },
            ),
    )
    .join("");

/** Returns the message of an alarm in the reader's language. Messages without values have no parts. */
export const messageIn = (
  alarm: { readonly message: string; readonly messageParts?: readonly MessagePart[] | null | undefined },
  language: Language,
): string => (alarm.messageParts ? joinParts(alarm.messageParts, language) : alarm.message);

/** Returns the part for a value. `after` is the following text, which may already name the unit. */
export function partOf(value: unknown, metadata: KeyMetadata | undefined, after: string): MessagePart {
  const state = metadata?.states?.find((candidate) => candidate.value === value);
  if (state !== undefined) return state.name;
  if (value === undefined) return "–";
  if (typeof value === "boolean") return { value };
  if (typeof value !== "number") return typeof value === "object" ? JSON.stringify(value) : String(value);
  const { unit, decimals } = metadata ?? {};
  const next = after.trimStart();
  const isNamed = unit !== undefined && (next.startsWith(unit) || next.startsWith(unitSymbol(unit)));
  return {
    value,
    ...(unit !== undefined && !isNamed && { unit }),
    ...(decimals !== undefined && { decimals }),
  };
}
