import { isJsonObject, type JsonValue } from "../json/json.ts";

/** Command, reduced to its setting of a value. */
interface SettingCommand {
  readonly method: string;
  readonly params: JsonValue;
}

/** Returns the key and value of `setValue {key, value}`; for any other method, its name and params. */
export function settingOf({ method, params }: SettingCommand): {
  readonly name: string;
  readonly value: JsonValue;
} {
  if (method === "setValue" && isJsonObject(params) && typeof params.key === "string")
    return { name: params.key, value: params.value ?? null };
  return { name: method, value: params };
}
