import type { ApiClient } from "../api-client.ts";

const PATH = "/api/tenant/site-lock";
/** A third of the time after which a lock ends that is not renewed. */
const RENEWAL_MS = 20_000;

/** Lock of a site, which keeps others from applying a site file at the same time. */
export interface SiteLock {
  /** Renews the lock if it is time. @throws ApiError if somebody else has had it since */
  keep(): Promise<void>;
  /** Never fails: a lock that cannot be released ends by itself. */
  release(): Promise<void>;
}

/** For what changes nothing. */
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
