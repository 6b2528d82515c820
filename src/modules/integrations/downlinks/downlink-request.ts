import { invalid } from "../../../lib/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json.ts";
import { toPlainJson } from "../../../lib/plain-json.ts";
import { FRAME_BYTES_MAX } from "./downlink-attempt.ts";
import type { DownlinkPayload, DownlinkRequest } from "./downlinks.types.ts";

const OBJECT_BYTES_MAX = 16 * 1024;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const wrong = (what: string) => invalid("downlink.invalid", what);

function ofBytes(bytes: Buffer): DownlinkPayload {
  if (bytes.byteLength > FRAME_BYTES_MAX)
    throw invalid(
      "downlink.too_long",
      `${bytes.byteLength} bytes are too many: a frame has at most ${FRAME_BYTES_MAX}`,
    );
  return { data: bytes.toString("base64") };
}

function ofBase64(data: unknown): DownlinkPayload {
  if (typeof data !== "string" || !base64.test(data)) throw wrong("data: must be base64");
  return ofBytes(Buffer.from(data, "base64"));
}

function ofHex(hex: unknown): DownlinkPayload {
  const digits = typeof hex === "string" ? hex.replace(/[\s:-]/g, "").replace(/^0x/i, "") : "?";
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw wrong("hex: must be pairs of hexadecimal digits");
  return ofBytes(Buffer.from(digits, "hex"));
}

function ofObject(object: unknown): DownlinkPayload {
  const plain = toPlainJson(object, "command");
  if (!isJsonObject(plain)) throw wrong("object: must be an object");
  if (Buffer.byteLength(JSON.stringify(plain)) > OBJECT_BYTES_MAX)
    throw wrong(`object: has more than ${OBJECT_BYTES_MAX / 1024} KiB`);
  return { object: plain };
}

/** Bytes in base64 or hexadecimal digits, or an object for a codec: one of them. @throws DomainError of kind `invalid`. */
export function payloadOf({
  data,
  hex,
  object,
}: Pick<DownlinkRequest, "data" | "hex" | "object">): DownlinkPayload {
  const given = [data, hex, object].filter((one) => one !== undefined && one !== null);
  if (given.length !== 1) throw wrong("one of data (base64), hex and object is required");
  if (data !== undefined && data !== null) return ofBase64(data);
  return hex !== undefined && hex !== null ? ofHex(hex) : ofObject(object);
}

export interface CommandDownlink {
  readonly payload: DownlinkPayload;
  readonly fPort: number | null;
  readonly confirmed: boolean | undefined;
  readonly priority: string | null;
}

/** What a codec is told where a command only names a key and its value. */
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
  const given: Record<string, unknown> = isJsonObject(params) ? params : {};
  const { fPort, confirmed, priority, data, hex, object } = given;
  const isFrame = typeof data === "string" || typeof hex === "string" || isJsonObject(object);
  if (!isFrame)
    return { payload: ofObject(objectOf(method, params)), fPort: null, confirmed: undefined, priority: null };
  const payload = payloadOf({ data, hex, object } as DownlinkRequest); // each is looked at there
  if (fPort !== undefined && !(Number.isInteger(fPort) && Number(fPort) >= 1 && Number(fPort) <= 223))
    throw invalid("downlink.f_port_invalid", "fPort: must be 1 to 223");
  return {
    payload,
    fPort: fPort === undefined ? null : Number(fPort),
    confirmed: typeof confirmed === "boolean" ? confirmed : undefined,
    priority: typeof priority === "string" ? priority.slice(0, 32) : null,
  };
}
