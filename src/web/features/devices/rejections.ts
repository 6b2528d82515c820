import type { Rejection } from "../../lib/api-types.ts";
import { type MessageKey, t } from "../../platform/i18n/i18n.ts";
import { knownProblem } from "../../platform/i18n/server-messages.ts";

/** Codes of refusals that we can put into the reader's language and say what to do about. */
const REASONS: Readonly<Record<string, Extract<MessageKey, `rejection.${string}`>>> = {
  "body.empty": "rejection.empty",
  "body.malformed": "rejection.malformed",
  "telemetry.empty": "rejection.noValues",
  "telemetry.body_invalid": "rejection.noValues",
  "telemetry.key_empty": "rejection.keyEmpty",
  "telemetry.key_too_long": "rejection.keyTooLong",
  "telemetry.too_many_keys": "rejection.tooManyKeys",
  "telemetry.ts_future": "rejection.future",
  "telemetry.ts_invalid": "rejection.time",
  "topic.unknown": "rejection.topic",
  "gateway.body_invalid": "rejection.gatewayBody",
  "gateway.child_elsewhere": "rejection.childElsewhere",
  "gateway.child_name_invalid": "rejection.childName",
  "gateway.child_unknown": "rejection.childUnknown",
  "gateway.children_limit": "rejection.childrenLimit",
  "gateway.too_many_children": "rejection.tooManyChildren",
};

export function reasonOf({ code, reason }: Rejection): string {
  const key = Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
  return key === undefined ? (knownProblem(reason)?.text ?? reason) : t(key);
}
