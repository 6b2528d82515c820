import { invalid } from "../../lib/core/domain-error.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { ClaimingRequest } from "./claiming.types.ts";

export const SECRET_KEY_CHARACTERS_MIN = 6;
export const SECRET_KEY_CHARACTERS_MAX = 128;
/** Default time in ms for claiming a device: a day, as in ThingsBoard's device API. */
export const CLAIMING_MS_DEFAULT = 86_400_000;
/** Max. time for claiming: ten years, because a device with a code on its sticker may be stored in a warehouse. */
export const CLAIMING_MS_MAX = 3_650 * 86_400_000;

function durationOf(duration: unknown): number {
  if (duration === undefined || duration === null) return CLAIMING_MS_DEFAULT;
  const durationMs = typeof duration === "bigint" ? Number(duration) : duration;
  if (typeof durationMs !== "number" || !Number.isFinite(durationMs))
    throw invalid("claiming.duration_invalid", { max: CLAIMING_MS_MAX });
  // In the widely used device API, a missing or negative time means the default.
  if (durationMs <= 0) return CLAIMING_MS_DEFAULT;
  if (durationMs > CLAIMING_MS_MAX) throw invalid("claiming.duration_invalid", { max: CLAIMING_MS_MAX });
  return Math.ceil(durationMs);
}

/** Reads `{"secretKey": "…", "durationMs": 60000}`. @throws DomainError `invalid` */
export function parseClaimingRequest(body: unknown): ClaimingRequest {
  if (!isJsonObject(body)) throw invalid("claiming.body_invalid");
  const { secretKey, durationMs } = body;
  const isSecret =
    typeof secretKey === "string" &&
    secretKey.length >= SECRET_KEY_CHARACTERS_MIN &&
    secretKey.length <= SECRET_KEY_CHARACTERS_MAX;
  if (!isSecret)
    throw invalid("claiming.secret_invalid", {
      min: SECRET_KEY_CHARACTERS_MIN,
      max: SECRET_KEY_CHARACTERS_MAX,
    });
  return { secretKey, durationMs: durationOf(durationMs) };
}
