import { t } from "elysia";
import {
  COMMAND_PARAMS_MAX,
  COMMANDS_MAX,
  PARAM_NAME_MAX,
  PARAM_OPTIONS_MAX,
} from "../../lib/console/form-limits.ts";
import { jsonValue, literals } from "../api/wire.schemas.ts";
import { PARAM_TYPES } from "./profiles.types.ts";

/** Max. bytes of all commands of a profile, as JSON. */
export const COMMANDS_BYTES_MAX = 32 * 1024;

export const commandParameterSchema = t.Object(
  {
    name: t.String({
      maxLength: PARAM_NAME_MAX,
      description:
        "name of the field in `params`; empty for the only parameter, whose value is `params` itself",
    }),
    label: t.Optional(t.String({ maxLength: 100 })),
    type: literals(PARAM_TYPES),
    unit: t.Optional(t.String({ maxLength: 32 })),
    minimum: t.Optional(t.Number()),
    maximum: t.Optional(t.Number()),
    options: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: PARAM_OPTIONS_MAX.length }), {
        maxItems: PARAM_OPTIONS_MAX.items,
        description: "the values of a choice",
      }),
    ),
    default: t.Optional(jsonValue("the value before a person changes it")),
    isRequired: t.Optional(t.Boolean()),
  },
  { title: "CommandParameter" },
);

export const commandDefinitionSchema = t.Object(
  {
    method: t.String({ minLength: 1, maxLength: 256 }),
    name: t.Optional(t.String({ maxLength: 100, description: "what people read instead of the method" })),
    description: t.Optional(t.String({ maxLength: 500 })),
    asksFirst: t.Optional(t.Boolean({ description: "whether the console asks before it sends" })),
    params: t.Optional(
      t.Array(commandParameterSchema, {
        maxItems: COMMAND_PARAMS_MAX,
        description: "none: `params` is `{}`",
      }),
    ),
  },
  { title: "CommandDefinition" },
);

export const commandDefinitionList = t.Array(commandDefinitionSchema, {
  maxItems: COMMANDS_MAX,
  description: `commands that devices with this profile understand, for forms and buttons; other commands can be sent, too. All of them together have at most ${COMMANDS_BYTES_MAX / 1024} KiB`,
});
