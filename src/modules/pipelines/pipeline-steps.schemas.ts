/** Steps in the OpenAPI document: a union by `type`, generated from the definitions with which the engine validates steps. */
import { type TSchema, Type } from "@sinclair/typebox";
import { omit } from "../../lib/core/omit.ts";
import { conditionSchema } from "../api/condition.schemas.ts";
import { discriminatedUnion, documentedAs, enumOf, mapOf, toPascalCase } from "../api/documented-as.ts";
import { jsonValueSchema } from "../api/wire.schemas.ts";
import type { StepDefinition } from "./step.types.ts";
import { stepDefinitions } from "./step-types.ts";

const STEPS_MAX = 50;

const secret = Type.Union(
  [
    Type.String({ minLength: 1 }),
    Type.Object({ kept: Type.String() }, { description: "mark of a secret; sent back, it keeps the secret" }),
  ],
  { title: "StepSecret" },
);

/** Fields validated by the step itself, or whose API form differs from the engine's. */
const documentedFields: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  conditional_drop: { condition: conditionSchema },
  map_values: { mapping: mapOf(jsonValueSchema), default: jsonValueSchema },
  set_default: { values: mapOf(jsonValueSchema) },
  webhook_forward: { headers: mapOf(secret), secret },
};

/** Fields that only the gateway writes. */
const OWN_FIELDS = ["sealedUrl"];

/** Types of steps, with their user-defined fields. */
export const stepTypes = stepDefinitions.map(({ type, summary, fields, example }) => ({
  type,
  summary,
  fields: Type.Omit(fields, OWN_FIELDS),
  example,
}));

const common = {
  enabled: Type.Optional(Type.Boolean({ description: "false skips the step" })),
};

function stepSchema({ type, summary, fields }: StepDefinition): TSchema {
  const shownFields = Object.entries(fields.properties).filter(([name]) => !OWN_FIELDS.includes(name));
  const own = shownFields.map(([name, field]) => {
    const shown = documentedFields[type]?.[name];
    if (shown === undefined) return [name, field];
    const { description = "" } = field;
    const documented = documentedAs(shown, { description });
    return [name, fields.required?.includes(name) ? documented : Type.Optional(documented)];
  });
  return Type.Object(
    { type: Type.Literal(type), ...common, ...Object.fromEntries(own) },
    { title: `${toPascalCase(type)}Step`, description: summary },
  );
}

const steps = Object.fromEntries(
  stepDefinitions.map((definition) => [definition.type, stepSchema(definition)]),
);
const mappingSteps = omit(steps, "webhook_forward");

/** Returns the schema of the contract's second form of a step, with the fields in `config`. */
const configuredStep = (title: string, types: Readonly<Record<string, TSchema>>) =>
  Type.Object(
    {
      type: enumOf(Object.keys(types)),
      config: mapOf(jsonValueSchema, { description: "the fields of the step, as beside `type`" }),
      ...common,
    },
    { title },
  );

export const stepListSchema = Type.Array(
  Type.Union([
    discriminatedUnion(steps, "type", { title: "PipelineStep" }),
    configuredStep("ConfiguredPipelineStep", steps),
  ]),
  { maxItems: STEPS_MAX },
);

/** Steps of integrations, without webhooks. */
export const mappingStepListSchema = Type.Array(
  Type.Union([
    discriminatedUnion(mappingSteps, "type", { title: "MappingStep" }),
    configuredStep("ConfiguredMappingStep", mappingSteps),
  ]),
  { maxItems: STEPS_MAX },
);
