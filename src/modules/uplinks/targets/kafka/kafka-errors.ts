import { DomainError, detail } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { networkErrorText } from "../../../../lib/network/network-error.ts";
import type { Text } from "../../../../lib/texts/text.ts";
import { TargetError } from "../../target.errors.ts";
import { errorChain } from "../error-chain.ts";

/** Protocol errors that need a user's action. */
const ACCESS_ERRORS: ReadonlySet<string> = new Set([
  "SASL_AUTHENTICATION_FAILED",
  "UNSUPPORTED_SASL_MECHANISM",
  "ILLEGAL_SASL_STATE",
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
  "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
]);
const REFUSALS: ReadonlySet<string> = new Set([
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_RECORD",
  "UNSUPPORTED_FOR_MESSAGE_FORMAT",
  "UNSUPPORTED_COMPRESSION_TYPE",
]);
const SETTINGS_ERRORS: ReadonlySet<string> = new Set([
  "INVALID_TOPIC_EXCEPTION",
  "INVALID_PARTITIONS",
  "INVALID_REPLICATION_FACTOR",
  "POLICY_VIOLATION",
]);
const AUTHENTICATION = "PLT_KFK_AUTHENTICATION";
/** Client errors that describe invalid settings, such as `Broker requires TLS.` */
const USER = "PLT_KFK_USER";

const fieldOf = (error: Error, field: "apiId" | "code"): string =>
  field in error ? String((error as Error & Record<string, unknown>)[field]) : "";

function reasonOf(chain: readonly Error[], found: Error | undefined): Text | string {
  if (found !== undefined)
    return [fieldOf(found, "apiId"), messageOf(found)].filter((part) => part !== "").join(": ");
  const innermost = chain.findLast((error) => !fieldOf(error, "code").startsWith("PLT_KFK_")) ?? chain.at(-1);
  return networkErrorText(innermost);
}

/** Converts an error of the Kafka client. */
export function toKafkaError(error: unknown): TargetError {
  const chain = [...errorChain(error)];
  const target = chain.find((item) => item instanceof TargetError);
  if (target !== undefined) return target;
  const byId = (ids: ReadonlySet<string>) => chain.find((item) => ids.has(fieldOf(item, "apiId")));
  // The wrapped error says more than the client's own.
  const access = byId(ACCESS_ERRORS) ?? chain.findLast((item) => fieldOf(item, "code") === AUTHENTICATION);
  if (access !== undefined)
    return new TargetError(
      "settings",
      detail("uplink.access_refused", { reason: reasonOf(chain, access) }),
      error,
    );
  const refusal = byId(REFUSALS);
  if (refusal !== undefined)
    return new TargetError(
      "refused",
      detail("uplink.batch_refused", { reason: reasonOf(chain, refusal) }),
      error,
    );
  const reason = reasonOf(chain, byId(SETTINGS_ERRORS));
  const isSetting =
    typeof reason === "string" ||
    reason.code === "network_error.certificate" ||
    chain.some((item) => item instanceof DomainError && item.kind === "invalid") ||
    chain.some((item) => fieldOf(item, "code") === USER && /TLS/.test(item.message));
  return new TargetError(isSetting ? "settings" : "retry", detail("uplink.unreachable", { reason }), error);
}
