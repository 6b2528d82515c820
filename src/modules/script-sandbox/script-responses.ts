import { detail } from "../../lib/core/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import type { ErrorCode } from "../../lib/texts/catalogues.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EngineReply } from "./engine.types.ts";
import { scriptLimits } from "./script-limits.ts";
import { ScriptFailure, type ScriptFailureCode } from "./script-sandbox.errors.ts";
import type { EncodeResult, ScriptResult } from "./script-sandbox.types.ts";

/*
 * Validates replies of script processes, because a script can forge any of them.
 */

/** Reasons reported by the prelude, by its names for them. */
const preludeReasons = {
  bytes: "script_reason.no_bytes",
  byte: "script_reason.no_byte",
  byteCount: "script_reason.too_many_bytes",
  data: "script_reason.no_data",
  fPort: "script_reason.no_f_port",
  frame: "script_reason.no_frame",
  functions: "script_reason.no_function",
  json: "script_reason.not_json_because",
  object: "script_reason.no_codec_object",
  promise: "script_reason.never_settles",
  reported: "script_reason.reported",
} as const satisfies Record<string, ErrorCode>;

const PARAM_CHARACTERS_MAX = 1_000;

/** Reads a failure reported by the prelude. A script can forge one, and choose among these reasons. */
function reasonOf({ reason, params }: Record<string, unknown>): Text {
  const code = Object.entries(preludeReasons).find(([name]) => name === reason)?.[1];
  if (code === undefined) return detail("script_reason.unreadable");
  const texts = Object.entries(isJsonObject(params) ? params : {})
    .slice(0, 5)
    .map(([name, value]) => [name, shownText(value).slice(0, PARAM_CHARACTERS_MAX)]);
  return { code, params: Object.fromEntries(texts) };
}

/** Returns the text of a value without converting objects: a script's object may have a `toString` that is not a function. */
const shownText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

type Answered = EngineReply & { ok: true };

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > scriptLimits.resultDepthMax) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}

function read(reply: Answered): Record<string, unknown> {
  const fail = (code: ScriptFailureCode, reason: Text): never => {
    throw new ScriptFailure(code, reason, reply);
  };
  let response: unknown;
  try {
    response = JSON.parse(reply.value);
  } catch {
    return fail("script.output", detail("script_reason.not_json"));
  }
  if (!isJsonObject(response)) return fail("script.output", detail("script_reason.not_json"));
  const { fail: failure } = response;
  if (isJsonObject(failure))
    return fail(failure.code === "output" ? "script.output" : "script.error", reasonOf(failure));
  if (isTooDeep(response)) return fail("script.output", detail("script_reason.too_deep"));
  return response;
}

const warningsOf = ({ warnings }: Record<string, unknown>): readonly string[] =>
  (Array.isArray(warnings) ? warnings : [])
    .slice(0, scriptLimits.warningsMax)
    .map((warning) => shownText(warning).slice(0, scriptLimits.warningCharsMax));

export function readResult(reply: Answered): ScriptResult {
  const response = read(reply);
  const value = response.dropped === true ? undefined : (response.value as JsonValue | undefined);
  return {
    value,
    ...(response.isOfCodec === true && { isOfCodec: true as const }),
    warnings: warningsOf(response),
    console: reply.console,
    usedMs: reply.usedMs,
  };
}

export function readEncoded(reply: Answered): EncodeResult {
  const response = read(reply);
  const { bytes, fPort } = response;
  const isBytes =
    Array.isArray(bytes) &&
    bytes.length <= scriptLimits.downlinkBytesMax &&
    bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  if (!isBytes) throw new ScriptFailure("script.output", detail("script_reason.not_bytes"), reply);
  return {
    bytes: Uint8Array.from(bytes),
    fPort:
      typeof fPort === "number" && Number.isInteger(fPort) && fPort >= 0 && fPort <= 255 ? fPort : undefined,
    warnings: warningsOf(response),
    console: reply.console,
    usedMs: reply.usedMs,
  };
}

export function readFunctions(reply: Answered): readonly string[] {
  const { value } = read(reply);
  return Array.isArray(value) ? value.filter((name) => typeof name === "string").slice(0, 20) : [];
}
