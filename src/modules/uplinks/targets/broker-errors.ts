import { DomainError, detail } from "../../../lib/core/domain-error.ts";
import { messageOf } from "../../../lib/core/error-message.ts";
import { Reason } from "../../../lib/mqtt/reason.ts";
import { networkErrorText } from "../../../lib/network/network-error.ts";
import { type Reaction, TargetError } from "../target.errors.ts";

/** Error codes that mean the broker refuses the uplink itself, not a message. */
const ACCESS_CODES: ReadonlySet<string> = new Set([
  "broker_error.client_id",
  "broker_error.credentials",
  "broker_error.not_allowed",
]);

/** Reason codes of messages that the broker refuses permanently. */
const refusals: ReadonlySet<number> = new Set([
  Reason.malformed,
  Reason.topicNameInvalid,
  Reason.packetTooLarge,
  Reason.payloadFormatInvalid,
]);

const MESSAGE_RATE_TOO_HIGH = 0x96;

/** Returns the reason code of an acknowledgement that refuses a message. */
export function reasonCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}

/** Returns whether the broker will accept the message once its load decreases. */
export function isLimited(error: unknown): boolean {
  const code = reasonCodeOf(error);
  return code === Reason.quotaExceeded || code === MESSAGE_RATE_TOO_HIGH;
}

/** Returns the error of a connection to a broker that failed or ended. */
export function toConnectionError(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const reason = networkErrorText(error);
  if (ACCESS_CODES.has(reason.code))
    return new TargetError("settings", detail("uplink.access_refused", { reason }), error);
  const isSetting =
    reason.code === "network_error.certificate" || (error instanceof DomainError && error.kind === "invalid");
  return new TargetError(isSetting ? "settings" : "retry", detail("uplink.unreachable", { reason }), error);
}

/** Returns the error of a message on the topic that the broker has not accepted. */
export function toPublishError(error: unknown, topic: string): TargetError {
  const code = reasonCodeOf(error);
  if (code === undefined) return toConnectionError(error);
  const reason = `${messageOf(error)} (${topic})`;
  if (code === Reason.notAuthorized)
    return new TargetError("settings", detail("uplink.access_refused", { reason }), error);
  const reaction: Reaction = refusals.has(code) ? "refused" : "retry";
  return new TargetError(
    reaction,
    detail(reaction === "refused" ? "uplink.batch_refused" : "uplink.target_failed", { reason }),
    error,
  );
}

/** Returns the error for a message above the broker's limit. */
export const messageTooLarge = (bytes: number, bytesMax: number): TargetError =>
  new TargetError(
    "refused",
    detail("uplink.batch_refused", { reason: `a message of ${bytes} bytes, the broker takes ${bytesMax}` }),
  );
