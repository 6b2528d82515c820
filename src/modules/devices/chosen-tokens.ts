import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { tokenAttempts, tokenTaken } from "./devices.errors.ts";
import type { DevicesRepository } from "./devices.repository.ts";

/** Max. tokens of other tenants that a tenant may hit per hour. */
export const FOREIGN_TOKENS_MAX = 10;
/** Rule for API descriptions, appended after a semicolon. */
export const FOREIGN_TOKENS_RULE = {
  429: `Within an hour, ${FOREIGN_TOKENS_MAX} chosen tokens belonged to devices of other sites. \`Retry-After\` says when to try again.`,
};

interface ChosenTokensDeps {
  readonly repository: Pick<DevicesRepository, "hashOf" | "findByTokenHash">;
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Logger;
}

/**
 * Checks that access tokens are free. Tokens are unique across all tenants, because a token alone identifies its device; so a refusal reveals that
 * another device has the token. A tenant that hits tokens of other tenants may be guessing, and cannot choose tokens for a while.
 */
export class ChosenTokens {
  readonly #deps: ChosenTokensDeps;
  /** Monotonic times of recent hits, oldest first. */
  readonly #hits = new Map<TenantId, readonly number[]>();

  constructor(deps: ChosenTokensDeps) {
    this.#deps = deps;
  }

  /**
   * @param deviceId device that may already have the token
   * @throws DomainError `conflict` if another device has the token, `limited` after too many tokens of other tenants
   */
  ensureFree(tenantId: TenantId, token: string, deviceId?: DeviceId): void {
    const { repository, clock, log } = this.#deps;
    const now = clock.monotonic();
    const hits = (this.#hits.get(tenantId) ?? []).filter((time) => time > now - HOUR_MS);
    const [oldest] = hits;
    if (oldest !== undefined && hits.length >= FOREIGN_TOKENS_MAX)
      throw tokenAttempts(FOREIGN_TOKENS_MAX, oldest + HOUR_MS - now);
    const owner = repository.findByTokenHash(repository.hashOf(token));
    if (owner === undefined || owner.deviceId === deviceId) return;
    if (owner.tenantId !== tenantId) {
      this.#hits.set(tenantId, [...hits, now]);
      log.warn("access token of another tenant chosen", { tenant: tenantId, withinHour: hits.length + 1 });
    }
    throw tokenTaken();
  }
}
