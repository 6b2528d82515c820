import { DomainError, detail } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { networkErrorText } from "../../../../lib/network/network-error.ts";
import type { Text } from "../../../../lib/texts/text.ts";
import { TargetError } from "../../target.errors.ts";
import { errorChain } from "../error-chain.ts";

const ACCESS_NAMES: ReadonlySet<string> = new Set([
  "AuthorizationError",
  "UserAuthenticationExpiredError",
  "PermissionViolationError",
]);
/** Client errors that require other settings. */
const SETTINGS_NAMES: ReadonlySet<string> = new Set([
  "InvalidArgumentError",
  "InvalidSubjectError",
  "InvalidNameError",
  "JetStreamNotEnabled",
  "NKeysError",
]);
/** JetStream's error code of "message size exceeds maximum allowed". */
const MESSAGE_TOO_LARGE = 10_054;
const SERVER_ERROR = 500;
const NO_TLS = /'tls'/;

interface ApiError extends Error {
  readonly code: number;
  readonly status: number;
}

const isApiError = (error: Error): error is ApiError =>
  "status" in error && typeof error.status === "number" && "code" in error;

/** Returns the required change of settings; undefined if the error may be temporary. */
function settingProblem(chain: readonly Error[]): Text | string | undefined {
  const named = chain.find(({ name, message }) => SETTINGS_NAMES.has(name) || NO_TLS.test(message));
  if (named !== undefined) return messageOf(named);
  const api = chain.find(isApiError);
  return api !== undefined && api.status < SERVER_ERROR ? messageOf(api) : undefined;
}

/** Converts an error of the NATS client. */
export function toNatsError(error: unknown): TargetError {
  const chain = [...errorChain(error)];
  const target = chain.find((item) => item instanceof TargetError);
  if (target !== undefined) return target;
  const access = chain.find(({ name }) => ACCESS_NAMES.has(name));
  if (access !== undefined)
    return new TargetError("settings", detail("uplink.access_refused", { reason: messageOf(access) }), error);
  const api = chain.find(isApiError);
  if (api?.code === MESSAGE_TOO_LARGE)
    return new TargetError("refused", detail("uplink.batch_refused", { reason: messageOf(api) }), error);
  const problem = settingProblem(chain);
  if (problem !== undefined)
    return new TargetError("settings", detail("uplink.settings_refused", { reason: problem }), error);
  if (api !== undefined)
    return new TargetError("retry", detail("uplink.target_failed", { reason: messageOf(api) }), error);
  const reason = networkErrorText(chain.at(-1) ?? error);
  const isSetting =
    reason.code === "network_error.certificate" ||
    chain.some((item) => item instanceof DomainError && item.kind === "invalid");
  return new TargetError(isSetting ? "settings" : "retry", detail("uplink.unreachable", { reason }), error);
}
