import { timingSafeEqual } from "node:crypto";
import type { TenantId } from "../../lib/core/ids.ts";
import { randomToken, sha256 } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { WebhookSecretsRepository } from "./webhook-secrets.repository.ts";

/** 32 random bytes: 43 URL-safe characters. */
const SECRET_BYTES = 32;
/** Time for which the old secret stays valid, on request. */
const GRACE_MS = 10 * 60_000;

export interface SecretStatus {
  readonly hasSecret: boolean;
  /** Epoch ms. */
  readonly secretUpdatedAt: number | null;
  readonly oldSecretUntil: number | null;
}

/** Creates the service for the secrets of tenants' webhooks. A secret is returned once, at its creation; only its hash is stored. */
export function createWebhookSecretsService(deps: { repository: WebhookSecretsRepository; clock: Clock }) {
  const { repository, clock } = deps;

  /** Returns whether the old secret is still valid, but not for longer than planned if the clock was set back. */
  const isOldGood = (oldUntil: number | null, now: number) =>
    oldUntil !== null && now < oldUntil && now >= oldUntil - GRACE_MS;

  function status(tenantId: TenantId): SecretStatus {
    const kept = repository.find(tenantId);
    const isKept = kept !== undefined && isOldGood(kept.oldUntil, clock.now());
    return {
      hasSecret: kept !== undefined,
      secretUpdatedAt: kept?.updatedAt ?? null,
      oldSecretUntil: isKept ? kept.oldUntil : null,
    };
  }

  return {
    status,
    /** Creates a new secret. With `keepOld`, the previous one stays valid for ten more minutes. */
    rotate(tenantId: TenantId, keepOld: boolean): SecretStatus & { secret: string } {
      const secret = randomToken(SECRET_BYTES);
      const now = clock.now();
      const before = keepOld ? repository.find(tenantId) : undefined;
      repository.save(tenantId, {
        hash: sha256(secret),
        updatedAt: now,
        oldHash: before?.hash ?? null,
        oldUntil: before === undefined ? null : now + GRACE_MS,
      });
      return { secret, ...status(tenantId) };
    },
    /** Checks a secret in constant time. */
    isValid(tenantId: TenantId, secret: string): boolean {
      const kept = repository.find(tenantId);
      if (kept === undefined) return false;
      const input = Buffer.from(sha256(secret));
      const isNew = timingSafeEqual(input, Buffer.from(kept.hash));
      const isOld = kept.oldHash !== null && timingSafeEqual(input, Buffer.from(kept.oldHash));
      return isNew || (isOld && isOldGood(kept.oldUntil, clock.now()));
    },
  };
}

export type WebhookSecretsService = ReturnType<typeof createWebhookSecretsService>;
