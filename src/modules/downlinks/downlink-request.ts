import { invalid } from "../../lib/domain-error.ts";
import { type DownlinkPayload, isFPort, payloadOf } from "../../lib/downlink-payload.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";

export interface CommandDownlink {
  readonly payload: DownlinkPayload;
  readonly fPort: number | null;
  readonly confirmed: boolean | undefined;
  readonly priority: string | null;
}

/** Returns the input of a codec for a command that only names a key and its value. */
function objectOf(method: string, params: JsonValue): JsonValue {
  if (!isJsonObject(params)) return { [method]: params as JsonValue }; // a value, as JSON has them
  if (method === "setValue" && typeof params.key === "string" && "value" in params)
    return { [params.key]: params.value as JsonValue };
  return Object.keys(params).length === 0 ? { command: method } : (params as JsonValue);
}

/**
 * A device's command as a downlink: `params` with `data`, `hex` or `object` say the frame itself (beside `fPort`, `confirmed`,
 * `priority`), any others are an object for the codec.
 * @throws DomainError of kind `invalid`.
 */
export function downlinkOfCommand(method: string, params: JsonValue): CommandDownlink {
  const input: Record<string, unknown> = isJsonObject(params) ? params : {};
  const { fPort, confirmed, priority, data, hex, object } = input;
  const isFrame = typeof data === "string" || typeof hex === "string" || isJsonObject(object);
  if (!isFrame)
    return {
      ...{ payload: payloadOf({ object: objectOf(method, params) }), fPort: null },
      ...{ confirmed: undefined, priority: null },
    };
  if (fPort !== undefined && !isFPort(fPort)) throw invalid("downlink.f_port_invalid");
  return {
    payload: payloadOf({ data, hex, object }),
    fPort: fPort ?? null,
    confirmed: typeof confirmed === "boolean" ? confirmed : undefined,
    priority: typeof priority === "string" ? priority.slice(0, 32) : null,
  };
}
