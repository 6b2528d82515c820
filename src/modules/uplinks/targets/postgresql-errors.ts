import { DomainError, detail } from "../../../lib/domain-error.ts";
import { excerpt } from "../../../lib/excerpt.ts";
import { messageOf, networkErrorText } from "../../../lib/network-error.ts";
import { type Reaction, TargetError } from "../uplink.errors.ts";

const REASON_CHARACTERS_MAX = 300;

export const UNIQUE_VIOLATION = "23505";
/** A table or column that was there has been removed. */
const missing: ReadonlySet<string> = new Set(["42P01", "42703"]);

/** Returns the SQLSTATE of an error that the server has reported. */
export function stateOf(error: unknown): string | undefined {
  const state = error instanceof Error && "errno" in error ? error.errno : undefined;
  return typeof state === "string" && /^[\dA-Z]{5}$/.test(state) ? state : undefined;
}

function reactionTo(state: string): Reaction {
  if (missing.has(state)) return "retry";
  // Data that cannot be stored, or that a rule of the table refuses.
  if (/^(22|23|44)/.test(state)) return "refused";
  // Credentials, database, schema, privileges, a table of another form, limits such as the number of columns.
  if (/^(28|3D|3F|42|54|0A)/.test(state)) return "settings";
  return "retry";
}

const codes = {
  refused: "uplink.batch_refused",
  settings: "uplink.settings_refused",
  retry: "uplink.target_failed",
} as const;

/** Returns the error of a target for one of the server or the client. */
export function targetErrorOf(error: unknown): TargetError {
  if (error instanceof TargetError) return error;
  const state = stateOf(error);
  if (state !== undefined) {
    const reaction = reactionTo(state);
    const reason = excerpt(messageOf(error), REASON_CHARACTERS_MAX);
    const code = state.startsWith("28") ? "uplink.access_refused" : codes[reaction];
    return new TargetError(reaction, detail(code, { reason }), error);
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ERR_POSTGRES_TLS_NOT_AVAILABLE" || /AUTHENTICATION|SASL|SERVER_(KEY|SIGNATURE)/.test(code))
    return new TargetError("settings", detail("uplink.access_refused", { reason: messageOf(error) }), error);
  const reason = error instanceof DomainError ? networkErrorText(error) : connectionReason(error, code);
  return new TargetError("retry", detail("uplink.unreachable", { reason }), error);
}

function connectionReason(error: unknown, code: string) {
  if (code === "ERR_POSTGRES_CONNECTION_REFUSED") return detail("network_error.refused");
  if (code === "ERR_POSTGRES_CONNECTION_CLOSED" || code === "ERR_POSTGRES_CONNECTION_FAILED")
    return detail("network_error.reset");
  if (code === "ERR_POSTGRES_CONNECTION_TIMEOUT") return detail("network_error.timed_out");
  return networkErrorText(error);
}
