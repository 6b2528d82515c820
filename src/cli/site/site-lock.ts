import type { ApiClient } from "../api-client.ts";

const PATH = "/api/tenant/site-lock";
/** Interval of renewals, a third of the lifetime of a lock. */
const RENEWAL_MS = 20_000;

/** Lock of a site against concurrent application of site files. */
export interface SiteLock {
  /** Renews the lock if necessary. @throws ApiError if somebody else has taken it */
  keep(): Promise<void>;
  /** Releases the lock. Never fails: a lock that cannot be released expires. */
  release(): Promise<void>;
}

/** Lock for operations that change nothing. */
export const noLock: SiteLock = { keep: async () => undefined, release: async () => undefined };

/** @throws ApiError while somebody else has the lock */
export async function lockSite(api: ApiClient): Promise<SiteLock> {
  const take = (body: object) => api.put<{ lockId: string }>(PATH, body);
  const { lockId } = await take({});
  let renewedAt = performance.now();
  return {
    async keep() {
      if (performance.now() - renewedAt < RENEWAL_MS) return;
      await take({ lockId });
      renewedAt = performance.now();
    },
    release: () => api.delete(`${PATH}/${lockId}`).catch(() => undefined),
  };
}
