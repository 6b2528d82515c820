import { type Static, t } from "elysia";
import { invalid } from "../../lib/core/domain-error.ts";
import { jsonValue, literals } from "../wire.schemas.ts";

const COMMANDS_MAX = 50;
const PARAMS_MAX = 32;
const OPTIONS_MAX = 50;
/** Bytes of all commands of a profile as JSON. */
const BYTES_MAX = 32 * 1024;

export const PARAM_TYPES = ["number", "text", "boolean", "choice"] as const;

export const commandParameterSchema = t.Object(
  {
    name: t.String({
      maxLength: 128,
      description:
        "name of the field in `params`; empty for the only parameter, whose value is `params` itself",
    }),
    label: t.Optional(t.String({ maxLength: 100 })),
    type: literals(PARAM_TYPES),
    unit: t.Optional(t.String({ maxLength: 32 })),
    minimum: t.Optional(t.Number()),
    maximum: t.Optional(t.Number()),
    options: t.Optional(
      t.Array(t.String({ minLength: 1, maxLength: 100 }), {
        maxItems: OPTIONS_MAX,
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
      t.Array(commandParameterSchema, { maxItems: PARAMS_MAX, description: "none: `params` is `{}`" }),
    ),
  },
  { title: "CommandDefinition" },
);

export const commandDefinitionList = t.Array(commandDefinitionSchema, {
  maxItems: COMMANDS_MAX,
  description: `commands that devices with this profile understand, for forms and buttons; other commands can be sent, too. All of them together have at most ${BYTES_MAX / 1024} KiB`,
});

export type CommandDefinition = Static<typeof commandDefinitionSchema>;
export type CommandParameter = Static<typeof commandParameterSchema>;

const isTwice = (names: readonly string[], index: number) => names.indexOf(names[index] ?? "") !== index;

/** Returns whether a form can show the default of a parameter at first. */
function isPossible({
  type,
  options = [],
  minimum = -Infinity,
  maximum = Infinity,
  ...param
}: CommandParameter) {
  const value: unknown = param.default;
  if (type === "choice") return options.some((option) => option === value);
  if (type === "number") return typeof value === "number" && value >= minimum && value <= maximum;
  return typeof value === (type === "text" ? "string" : "boolean");
}

function checkParams(params: readonly CommandParameter[], command: number): void {
  const names = params.map(({ name }) => name);
  for (const [index, param] of params.entries()) {
    const { name, type, options = [], minimum, maximum } = param;
    const field = `commands[${command}].params[${index}]`;
    if (name === "" && params.length > 1) throw invalid("profile.param_name", { field });
    if (isTwice(names, index)) throw invalid("profile.param_twice", { field });
    if (type === "choice" && options.length === 0) throw invalid("profile.param_options", { field });
    if (minimum !== undefined && maximum !== undefined && minimum > maximum)
      throw invalid("profile.param_range", { field });
    if (param.default !== undefined && !isPossible(param)) throw invalid("profile.param_default", { field });
  }
}

/** Checks what the schema cannot. @throws DomainError of kind `invalid` */
export function checkCommandDefinitions(commands: readonly CommandDefinition[]): void {
  const methods = commands.map(({ method }) => method);
  for (const [index, { params = [] }] of commands.entries()) {
    if (isTwice(methods, index)) throw invalid("profile.command_twice", { index });
    checkParams(params, index);
  }
  if (Buffer.byteLength(JSON.stringify(commands)) > BYTES_MAX)
    throw invalid("profile.commands_too_large", { max: BYTES_MAX / 1024 });
}
