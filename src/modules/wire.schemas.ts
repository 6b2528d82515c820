import { type IntegerOptions, type SchemaOptions, type StringOptions, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { documentedAs, mapOf } from "./documented-as.ts";

/** A whole number in a JSON body. `t.Integer` also accepts its text, which only queries need. */
export const wholeNumber = (options: IntegerOptions = {}) => Type.Integer(options);

/** A text of an answer that is one of `values`, which the document lists. */
export const choice = <const Values extends readonly string[]>(values: Values, options: StringOptions = {}) =>
  Type.Unsafe<Values[number]>(Type.String({ ...options, enum: [...values] }));

export const successBody = t.Object({ success: t.Boolean() }, { title: "Success" });

/** Any JSON value. It does not refer to itself, since TypeScript cannot resolve an array of itself in a generated client. */
export const jsonValueSchema = Type.Unsafe({
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

/** Any JSON object. Not a Record: its check would turn an array into an object, and lose a key named `__proto__`. */
export const jsonObject = (description?: string) => documentedAs(jsonObjectSchema, describe(description));

const describe = (description: string | undefined): SchemaOptions =>
  description === undefined ? {} : { description };
