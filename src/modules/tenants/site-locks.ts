import type { TenantId } from "../../lib/core/ids.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Principal } from "../users/users.types.ts";
import { siteLocked, siteLockLost } from "./tenants.errors.ts";

/** Time in ms after which an unrenewed lock ends, because its holder may have been killed. */
export const SITE_LOCK_MS = 60_000;

interface SiteLock {
  readonly lockId: string;
  readonly by: string;
  /** Epoch ms. */
  readonly since: number;
  /** Expiry, monotonic ms. */
  until: number;
}

/** Creates locks that prevent two site files from being applied to a tenant simultaneously: each would create the same objects. */
export function createSiteLocks(clock: Pick<Clock, "now" | "monotonic">) {
  const locks = new Map<TenantId, SiteLock>();
  return {
    /**
     * Takes the lock, or renews it by its id.
     * @throws DomainError `tenant.site_locked` while another holder has it, `tenant.site_lock_lost` if another holder has had it since
     */
    take({ tenantId, email, apiKey }: Principal, lockId?: string): { lockId: string } {
      const until = clock.monotonic() + SITE_LOCK_MS;
      const current = locks.get(tenantId);
      if (lockId !== undefined) {
        if (current?.lockId !== lockId) throw siteLockLost();
        current.until = until;
        return { lockId };
      }
      if (current !== undefined && current.until > clock.monotonic())
        throw siteLocked(current.by, iso(current.since));
      const lock = { lockId: newId(), by: apiKey?.name ?? email, since: clock.now(), until };
      locks.set(tenantId, lock);
      return { lockId: lock.lockId };
    },
    release({ tenantId }: Principal, lockId: string): void {
      if (locks.get(tenantId)?.lockId === lockId) locks.delete(tenantId);
    },
  };
}

export type SiteLocks = ReturnType<typeof createSiteLocks>;
