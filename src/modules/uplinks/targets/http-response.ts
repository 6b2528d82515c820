import { detail } from "../../../lib/core/domain-error.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { type Reaction, TargetError } from "../target.errors.ts";

const REFUSED: ReadonlySet<number> = new Set([400, 413, 422]);
const OF_CREDENTIALS: ReadonlySet<number> = new Set([401, 403, 407]);

export function reactionTo(status: number): Reaction {
  if (REFUSED.has(status)) return "refused";
  return OF_CREDENTIALS.has(status) ? "settings" : "retry";
}

const codes = {
  refused: "uplink.batch_refused",
  settings: "uplink.access_refused",
  retry: "uplink.target_failed",
} as const;

/** Returns the error for a response other than 2xx. `reason`: details from the target in addition to the status. */
export function responseError(
  status: number,
  reason: Text | string = detail("delivery_error.status", { status }),
): TargetError {
  const reaction = reactionTo(status);
  return new TargetError(reaction, detail(codes[reaction], { reason }));
}
