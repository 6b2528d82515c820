import { invalid } from "../../lib/core/domain-error.ts";
import { type DeviceRequestRule, OWN_METHODS } from "./profiles.types.ts";

export const REQUEST_RULES_MAX = 32;
export const METHOD_CHARACTERS_MAX = 128;
/** Max. bytes of all rules of a profile, as JSON; profiles are read often. */
const RULES_BYTES_MAX = 32 * 1024;

/** Checks rules beyond the schema. @throws DomainError `invalid` */
export function checkDeviceRequests(rules: readonly DeviceRequestRule[]): void {
  const methods = new Set<string>();
  for (const [index, { method, reply, script }] of rules.entries()) {
    if (OWN_METHODS.includes(method)) throw invalid("profile.request_own", { index });
    if (methods.has(method)) throw invalid("profile.request_twice", { index });
    methods.add(method);
    if ((reply === undefined) === (script === undefined)) throw invalid("profile.request_reply", { index });
  }
  if (Buffer.byteLength(JSON.stringify(rules)) > RULES_BYTES_MAX)
    throw invalid("profile.requests_too_large", { max: RULES_BYTES_MAX / 1024 });
}
