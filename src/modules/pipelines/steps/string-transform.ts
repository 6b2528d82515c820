import { Type } from "@sinclair/typebox";

import { invalid } from "../../../lib/core/domain-error.ts";
import { changeKeys, defineStep, keysField } from "../define-step.ts";
import { stepWork } from "../step-work.ts";

const TEXT_MAX = 1_000;
const LENGTH_MAX = 64 * 1024;
/** Work units per character of a searched string, which may be split into as many parts. */
const REPLACE_UNITS = 4;
const tooLong = () => invalid("step_failure.text_too_long", { max: LENGTH_MAX });
const OPERATIONS = [
  "trim",
  "uppercase",
  "lowercase",
  "replace",
  "substring",
  "prefix",
  "suffix",
  "pad_start",
] as const;

type Transform = (text: string) => string;

/** Returns the length of `text` with each `search` replaced, before the result takes memory. */
function lengthReplaced(text: string, search: string, by: string): number {
  const more = by.length - search.length;
  if (more <= 0) return 0; // whatever it is, it is not made longer
  let length = text.length;
  for (let index = text.indexOf(search); index >= 0; index = text.indexOf(search, index + search.length)) {
    length += more;
    if (length > LENGTH_MAX) break;
  }
  return length;
}

interface Config {
  readonly operation: (typeof OPERATIONS)[number];
  readonly search?: string;
  readonly text?: string;
  readonly start?: number;
  readonly end?: number;
  readonly length?: number;
}

function transformOf({ operation, search = "", text = "", start = 0, end, length = 0 }: Config): Transform {
  switch (operation) {
    case "trim":
      return (value) => value.trim();
    case "uppercase":
      return (value) => value.toUpperCase();
    case "lowercase":
      return (value) => value.toLowerCase();
    case "replace":
      if (search === "") throw invalid("step.search_missing");
      return (value) => {
        if (lengthReplaced(value, search, text) > LENGTH_MAX) throw tooLong();
        stepWork.spend(REPLACE_UNITS * value.length);
        return value.replaceAll(search, () => text);
      };
    case "substring":
      return (value) => value.slice(start, end);
    case "prefix":
      return (value) => text + value;
    case "suffix":
      return (value) => value + text;
    case "pad_start":
      return (value) => value.padStart(length, text === "" ? " " : text);
  }
}

export const stringTransform = defineStep({
  type: "string_transform",
  summary: "Changes texts: trims, cuts, replaces, prefixes. Other values stay.",
  fields: Type.Object({
    keys: keysField,
    operation: Type.Union(OPERATIONS.map((operation) => Type.Literal(operation))),
    search: Type.Optional(
      Type.String({ maxLength: TEXT_MAX, description: "replace: what is replaced, as it is written" }),
    ),
    text: Type.Optional(
      Type.String({
        maxLength: TEXT_MAX,
        description: "replace, prefix, suffix, pad_start: what is put there",
      }),
    ),
    start: Type.Optional(Type.Integer({ description: "substring: first character, negative from the end" })),
    end: Type.Optional(Type.Integer({ description: "substring: the character behind the last" })),
    length: Type.Optional(
      Type.Integer({ minimum: 0, maximum: TEXT_MAX, description: "pad_start: characters in all" }),
    ),
  }),
  example: {
    step: { type: "string_transform", keys: ["serial"], operation: "uppercase" },
    in: { serial: "ab-12" },
    out: { serial: "AB-12" },
  },
  compile({ keys, ...config }) {
    const transform = transformOf(config as Config); // as the fields have it
    return changeKeys(keys, (value) => {
      if (typeof value !== "string") return value;
      stepWork.spend(value.length);
      const changed = transform(value);
      if (changed.length > LENGTH_MAX) throw tooLong();
      return changed;
    });
  },
});
