import { exhausted } from "../../lib/domain-error.ts";
import type { KeyLimitHit } from "./store/store.types.ts";

/** Thrown by the store before anything is staged of a message that has keys beyond a limit. */
export class KeysBeyondLimit extends Error {}

const MEGABYTE = 1024 * 1024;
const NAMED_KEYS_MAX = 3;
const NAMED_CHARACTERS_MAX = 64;

export const storedBytesLimit = (bytes: number) =>
  exhausted(
    "telemetry.stored_bytes_limit",
    `The telemetry of this tenant may take ${Number((bytes / MEGABYTE).toPrecision(2))} MB on the disk. Delete some, or keep it for fewer days.`,
  );

const describeLimit: Record<KeyLimitHit["scope"], (max: number) => string> = {
  device: (max) => `A device may have ${max} telemetry keys.`,
  tenant: (max) => `The devices of this tenant may have ${max} telemetry keys together.`,
  new: (max) => `The devices of this tenant may add ${max} new telemetry keys a day.`,
};

/** Names the first keys that were left out. */
export function keysLimit({ scope, max, keys }: KeyLimitHit) {
  const named = keys
    .slice(0, NAMED_KEYS_MAX)
    .map((key) => JSON.stringify(key.slice(0, NAMED_CHARACTERS_MAX)));
  const more = keys.length > NAMED_KEYS_MAX ? ` and ${keys.length - NAMED_KEYS_MAX} more` : "";
  return exhausted(
    `telemetry.${scope}_keys_limit`,
    `${describeLimit[scope](max)} Not stored: ${named.join(", ")}${more}. Everything else in the message is stored.`,
  );
}
