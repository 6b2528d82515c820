/** Conditions of alarm rules and conditional drops, as `lib/alarms/condition.ts` reads them. */
import { type TSchema, Type } from "@sinclair/typebox";
import { CONDITION_OPERATORS, DURATION_MS_MAX } from "../../lib/alarms/condition.ts";
import { ATTRIBUTE_SCOPES } from "../attributes/attributes.types.ts";
import { componentRef, enumOf } from "./documented-as.ts";
import { jsonValueSchema } from "./wire.schemas.ts";

const LIST_MAX = 1_000;

const key = Type.String({ minLength: 1 });
const scope = Type.Optional(enumOf(ATTRIBUTE_SCOPES, { description: "of the attribute; SERVER by default" }));
const operand = {
  key,
  source: Type.Optional(
    enumOf(["telemetry", "attribute"], { description: "what `key` names; telemetry by default" }),
  ),
  scope,
};
const bound = Type.Union([Type.Number(), Type.String()]);
const plainOperators = CONDITION_OPERATORS.filter((op) => op !== "BETWEEN" && op !== "IN");

/** Schemas of the comparisons, by their operands. */
const comparisons = [
  Type.Object(
    { ...operand, op: enumOf(plainOperators), value: jsonValueSchema },
    { title: "ValueComparison", description: "Compares with a value." },
  ),
  Type.Object(
    {
      ...operand,
      op: Type.Literal("BETWEEN"),
      value: Type.Array(bound, {
        minItems: 2,
        maxItems: 2,
        description: "[lowest, highest], both numbers or both strings",
      }),
    },
    { title: "RangeComparison", description: "Is within a range, its ends included." },
  ),
  Type.Object(
    { ...operand, op: Type.Literal("IN"), value: Type.Array(jsonValueSchema, { maxItems: LIST_MAX }) },
    { title: "ListComparison", description: "Equals one value of a list." },
  ),
  Type.Object(
    { ...operand, op: enumOf(CONDITION_OPERATORS), attribute: Type.Object({ key, scope }) },
    { title: "AttributeComparison", description: "Compares with an attribute of the device." },
  ),
];

/** Conditions only for alarm rules: on the previous value, and on the time since the newest value. */
const conditionsInTime = [
  Type.Object(
    { key, source: Type.Optional(Type.Literal("telemetry")), op: Type.Literal("CHANGED") },
    {
      title: "ChangeCondition",
      description: "The newest message changed the value.",
    },
  ),
  Type.Object(
    {
      noData: Type.Object({
        key,
        forMs: Type.Optional(
          Type.Integer({
            minimum: 1_000,
            maximum: DURATION_MS_MAX,
            description: "if left out: three times the interval at which the key usually comes",
          }),
        ),
      }),
    },
    { title: "NoDataCondition", description: "No value has come for this time." },
  ),
];

/** Returns the schemas of combinations, which refer recursively to the condition schema. */
function combinationsOf(title: string, prefix: string): TSchema[] {
  const inner = componentRef(title);
  const list = Type.Array(inner, { minItems: 1 });
  return [
    Type.Object({ all: list }, { title: `${prefix}AllOf`, description: "Every part holds." }),
    Type.Object({ any: list }, { title: `${prefix}AnyOf`, description: "At least one part holds." }),
    Type.Object({ not: inner }, { title: `${prefix}Not`, description: "The part does not hold." }),
  ];
}

const DESCRIPTION = "A condition over a key or an attribute that does not exist is false.";

export const conditionSchema = Type.Unsafe({
  title: "Condition",
  description: DESCRIPTION,
  anyOf: [...combinationsOf("Condition", "Condition"), ...comparisons],
});

export const alarmConditionSchema = Type.Unsafe({
  title: "AlarmCondition",
  description: DESCRIPTION,
  anyOf: [...combinationsOf("AlarmCondition", "AlarmCondition"), ...comparisons, ...conditionsInTime],
});
