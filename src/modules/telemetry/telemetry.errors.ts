import { detail, exhausted } from "../../lib/core/domain-error.ts";
import { MIB } from "../../lib/core/units.ts";
import type { KeyLimitHit } from "./store/store.types.ts";

const NAMED_KEYS_MAX = 3;
const NAMED_CHARACTERS_MAX = 64;

export const storedBytesLimit = (bytes: number) =>
  exhausted("telemetry.stored_bytes_limit", { bytes: Number((bytes / MIB).toPrecision(2)) });

const limitCodes = {
  device: "telemetry.device_keys_limit",
  tenant: "telemetry.tenant_keys_limit",
  new: "telemetry.new_keys_limit",
} as const;

/** Returns the error for removed keys, naming the first of them. */
export function keysLimit({ scope, max, keys }: KeyLimitHit) {
  const named = keys
    .slice(0, NAMED_KEYS_MAX)
    .map((key) => JSON.stringify(key.slice(0, NAMED_CHARACTERS_MAX)));
  const count = keys.length - named.length;
  return exhausted(limitCodes[scope], {
    max,
    keys: count > 0 ? detail("telemetry.more_keys", { keys: named, count }) : named,
  });
}
