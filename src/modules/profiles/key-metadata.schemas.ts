/** Key metadata in the OpenAPI document. `parseKeyMetadata` validates it. */
import { Type } from "@sinclair/typebox";
import {
  DECIMALS_MAX,
  KEY_BYTES_MAX,
  KEY_KINDS,
  KEYS_MAX,
  NAME_CHARACTERS_MAX,
  STATE_COLORS,
  STATES_MAX,
  UNIT_CHARACTERS_MAX,
} from "../../lib/keys/key-metadata.ts";
import { documentedAs, enumOf } from "../api/documented-as.ts";

const limit = (description: string) => Type.Optional(Type.Number({ description }));

const keyState = Type.Object(
  {
    value: Type.Union([Type.Number(), Type.Boolean(), Type.String({ maxLength: NAME_CHARACTERS_MAX })]),
    name: Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX }),
    color: Type.Optional(enumOf(STATE_COLORS)),
  },
  { title: "KeyState" },
);

const fields = {
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: NAME_CHARACTERS_MAX, description: "the name to display" }),
  ),
  unit: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: UNIT_CHARACTERS_MAX,
      description: "a UCUM code such as `Cel` or `kW.h`, or any text such as `°C`",
    }),
  ),
  decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: DECIMALS_MAX })),
  kind: Type.Optional(enumOf(KEY_KINDS)),
  min: Type.Optional(
    Type.Number({ description: "lower end of the range in which values are expected; gauges begin there" }),
  ),
  max: Type.Optional(Type.Number({ description: "upper end of that range, above `min`" })),
  limits: Type.Optional(
    Type.Object(
      {
        lowLow: limit("values at or below are critical"),
        low: limit("values at or below are a warning"),
        high: limit("values at or above are a warning"),
        highHigh: limit("values at or above are critical"),
      },
      { title: "KeyLimits", description: "each lower than the next one" },
    ),
  ),
  states: Type.Optional(
    Type.Array(keyState, {
      maxItems: STATES_MAX,
      description: "names and colors of values, each value once",
    }),
  ),
  group: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: NAME_CHARACTERS_MAX,
      description: "subject of the key; the keys of a group are shown together",
    }),
  ),
};

/** Metadata without its key. */
export const keyMetadataFields = Type.Object(fields, { title: "KeyMetadataSuggestion" });

const keyMetadataSchema = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: KEY_BYTES_MAX, description: "the telemetry key" }),
    ...fields,
  },
  { title: "KeyMetadata" },
);

export const keyMetadataList = Type.Array(keyMetadataSchema, { maxItems: KEYS_MAX });
/** Entries of a profile, and defaults for other keys. */
export const resolvedKeyList = Type.Array(keyMetadataSchema, { maxItems: 2 * KEYS_MAX });

export const keyDefaultsBody = Type.Object(
  {
    keyMetadata: documentedAs(keyMetadataList, { description: "replaces the whole list" }),
  },
  { title: "KeyMetadataDefaults" },
);
