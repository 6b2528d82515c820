import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import type { Command } from "./commands.types.ts";

export type AskedCommand = Pick<Command, "rpcId" | "method" | "params">;

/** Returns the key and value of `setValue {key, value}`; for any other method, its name and params. */
export function settingOf({ method, params }: AskedCommand): {
  readonly name: string;
  readonly value: JsonValue;
} {
  if (method === "setValue" && isJsonObject(params) && typeof params.key === "string")
    return { name: params.key, value: params.value ?? null };
  return { name: method, value: params };
}
