import { limited } from "../../lib/domain-error.ts";
import type { UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Principal } from "../users/users.types.ts";

/** A person who tries an address may do so a few times; a message can cost money. */
const TEST_WINDOW_MS = 600_000;
const TESTS_MAX = 10;
const TRIED_USERS_MAX = 10_000;

/** Returns a function that throws `limited` when a user has sent too many tests. */
export function createTestLimit(clock: Clock): (principal: Principal) => void {
  /** Times of the last tries of each user, monotonic. */
  const tried = new Map<UserId, number[]>();
  return ({ userId }) => {
    const now = clock.monotonic();
    const recent = (tried.get(userId) ?? []).filter((timeMs) => timeMs > now - TEST_WINDOW_MS);
    if (recent.length >= TESTS_MAX)
      throw limited("notifications.tests", Math.ceil(((recent[0] ?? now) + TEST_WINDOW_MS - now) / 1000));
    if (tried.size >= TRIED_USERS_MAX) tried.clear();
    tried.set(userId, [...recent, now]);
  };
}
