import {
  type ArrayOptions,
  type IntegerOptions,
  type SchemaOptions,
  type Static,
  type StringOptions,
  type TAny,
  Type,
} from "@sinclair/typebox";
import { t } from "elysia";
import { ALARM_SEVERITIES } from "../../lib/alarms/severity.ts";
import { TAGS_MAX } from "../../lib/console/form-limits.ts";
import { TEXT_FORMS } from "../../lib/core/text-forms.ts";
import type { Params } from "../../lib/texts/text.ts";
import { documentedAs, mapOf } from "./documented-as.ts";

/** Integer in a JSON body. `t.Integer` also accepts strings, which only queries need. */
export const wholeNumber = (options: IntegerOptions = {}) => Type.Integer(options);

/** Code and parameters of a sentence, in addition to its English text in a separate field. */
export const textFields = {
  code: t.String({ description: "code of the meaning, which does not change" }),
  params: t.Unsafe<Params>(
    t.Record(t.String(), t.Unknown(), { description: "values for the placeholders of the text" }),
  ),
};

/** Sentence as code and parameters, which readers render in their own language. */
export const textSchema = t.Object(textFields, { title: "Text" });
/** Sentence as code and parameters, including its English text for programs without a catalog. */
export const renderedText = t.Object({ ...textFields, message: t.String({ description: "in English" }) });

const NAME = new RegExp(TEXT_FORMS.name);

/** User-defined name in a request. Responses use a plain string, because older names may have other characters. */
export const nameText = (maxLength: number, description = `1 to ${maxLength} characters in one line`) =>
  t.String({ minLength: 1, maxLength, pattern: TEXT_FORMS.name, description });

/** Tags in a request. */
export const tagList = (options: ArrayOptions = {}) =>
  t.Array(nameText(TAGS_MAX.length), { maxItems: TAGS_MAX.items, ...options });

/** Short string without control characters, in a request; may be empty. */
export const lineText = (maxLength: number, description = `at most ${maxLength} characters in one line`) =>
  t.String({ maxLength, pattern: TEXT_FORMS.line, description });

/** Returns whether a string is a valid name as in `nameText`. */
export const isName = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && NAME.test(text);

/** String of a response that is one of `values`, which the document lists. */
export const choice = <const Values extends readonly string[]>(values: Values, options: StringOptions = {}) =>
  Type.Unsafe<Values[number]>(Type.String({ ...options, enum: [...values] }));

/** Schema of one of the values, also validated in requests. */
export const literals = <const Values extends readonly (string | number)[]>(
  values: Values,
  options: SchemaOptions = {},
) =>
  Type.Unsafe<Values[number]>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  );

/** Severity in a response, and the validated one of a request. */
export const severityBody = choice(ALARM_SEVERITIES);
export const severityInput = literals(ALARM_SEVERITIES, { description: ALARM_SEVERITIES.join(", ") });

export const successBody = t.Object({ success: t.Boolean() }, { title: "Success" });

/** Any JSON value. Not recursive, because TypeScript cannot resolve a recursive array in a generated client. */
export const jsonValueSchema = Type.Unsafe<Static<TAny>>({
  title: "JsonValue",
  description: "any JSON value",
  anyOf: [
    Type.Null(),
    Type.Boolean(),
    Type.Number(),
    Type.String(),
    Type.Array(Type.Unsafe({})),
    mapOf(Type.Unsafe({})),
  ],
});
const jsonObjectSchema = mapOf(jsonValueSchema);

export const jsonValue = (description?: string) => documentedAs(jsonValueSchema, describe(description));

/** Returns the schema of any JSON object. Not a Record, whose check would convert an array to an object and lose a key named `__proto__`. */
export const jsonObject = (description?: string) => documentedAs(jsonObjectSchema, describe(description));

const describe = (description: string | undefined): SchemaOptions =>
  description === undefined ? {} : { description };

export const isoTime = t.String({ description: "ISO 8601" });
export const isoTimeOrNull = t.Union([t.String(), t.Null()], { description: "ISO 8601" });
