import { exhausted } from "../../lib/domain-error.ts";
import type { KeyLimitHit } from "./store/store.types.ts";

/** Thrown by the store before anything is staged of a message that has keys beyond a limit. */
export class KeysBeyondLimit extends Error {}

const NAMED_KEYS_MAX = 3;
const NAMED_CHARACTERS_MAX = 64;

/** Names the first keys that were left out. */
export function keysLimit({ scope, max, keys }: KeyLimitHit) {
  const named = keys
    .slice(0, NAMED_KEYS_MAX)
    .map((key) => JSON.stringify(key.slice(0, NAMED_CHARACTERS_MAX)));
  const more = keys.length > NAMED_KEYS_MAX ? ` and ${keys.length - NAMED_KEYS_MAX} more` : "";
  const limit =
    scope === "device"
      ? `A device may have ${max} telemetry keys.`
      : `The devices of this tenant may have ${max} telemetry keys together.`;
  return exhausted(
    `telemetry.${scope}_keys_limit`,
    `${limit} Not stored: ${named.join(", ")}${more}. Everything else in the message is stored.`,
  );
}
