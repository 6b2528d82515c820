import { invalid } from "../../lib/core/domain-error.ts";
import { COMMANDS_BYTES_MAX } from "./command-definitions.schemas.ts";
import type { CommandDefinition, CommandParameter } from "./profiles.types.ts";

const isTwice = (names: readonly string[], index: number) => names.indexOf(names[index] ?? "") !== index;

/** Returns whether the default of a parameter is valid as the initial value of a form. */
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

/** Checks rules beyond the schema. @throws DomainError `invalid` */
export function checkCommandDefinitions(commands: readonly CommandDefinition[]): void {
  const methods = commands.map(({ method }) => method);
  for (const [index, { params = [] }] of commands.entries()) {
    if (isTwice(methods, index)) throw invalid("profile.command_twice", { index });
    checkParams(params, index);
  }
  if (Buffer.byteLength(JSON.stringify(commands)) > COMMANDS_BYTES_MAX)
    throw invalid("profile.commands_too_large", { max: COMMANDS_BYTES_MAX / 1024 });
}
