import { detail } from "../../lib/domain-error.ts";
import { isJsonObject, type JsonValue } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EngineReply } from "./engine.types.ts";
import { scriptLimits } from "./script-limits.ts";
import { ScriptFailure, type ScriptFailureCode } from "./script-sandbox.errors.ts";
import type { EncodeResult, ScriptResult } from "./script-sandbox.types.ts";

/*
 * What a script process answered, read as a stranger's word: a script may have written any of it.
 */

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
  const fail = (code: ScriptFailureCode, reason: Text | string): never => {
    throw new ScriptFailure(code, reason, reply);
  };
  let answer: unknown;
  try {
    answer = JSON.parse(reply.value);
  } catch {
    return fail("script.output", detail("script_reason.not_json"));
  }
  if (!isJsonObject(answer)) return fail("script.output", detail("script_reason.not_json"));
  const { fail: failure } = answer;
  if (isJsonObject(failure))
    return fail(
      failure.code === "output" ? "script.output" : "script.error",
      String(failure.message).slice(0, 1_000),
    );
  if (isTooDeep(answer)) return fail("script.output", detail("script_reason.too_deep"));
  return answer;
}

const warningsOf = ({ warnings }: Record<string, unknown>): readonly string[] =>
  (Array.isArray(warnings) ? warnings : [])
    .slice(0, scriptLimits.warningsMax)
    .map((warning) => String(warning).slice(0, scriptLimits.warningCharsMax));

export function readResult(reply: Answered): ScriptResult {
  const answer = read(reply);
  const value = answer.dropped === true ? undefined : (answer.value as JsonValue | undefined);
  return { value, warnings: warningsOf(answer), console: reply.console, usedMs: reply.usedMs };
}

export function readEncoded(reply: Answered): EncodeResult {
  const answer = read(reply);
  const { bytes, fPort } = answer;
  const isBytes =
    Array.isArray(bytes) &&
    bytes.length <= scriptLimits.downlinkBytesMax &&
    bytes.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);
  if (!isBytes) throw new ScriptFailure("script.output", detail("script_reason.not_bytes"), reply);
  return {
    bytes: Uint8Array.from(bytes),
    fPort:
      typeof fPort === "number" && Number.isInteger(fPort) && fPort >= 0 && fPort <= 255 ? fPort : undefined,
    warnings: warningsOf(answer),
    console: reply.console,
    usedMs: reply.usedMs,
  };
}

export function readFunctions(reply: Answered): readonly string[] {
  const { value } = read(reply);
  return Array.isArray(value) ? value.filter((name) => typeof name === "string").slice(0, 20) : [];
}
