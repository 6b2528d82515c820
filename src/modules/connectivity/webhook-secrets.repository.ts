import { eq } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { webhookSecrets } from "./connectivity.tables.ts";

export interface StoredSecret {
  readonly hash: string;
  /** Epoch ms. */
  readonly updatedAt: number;
  readonly oldHash: string | null;
  /** Epoch ms. */
  readonly oldUntil: number | null;
}

export function createWebhookSecretsRepository({ orm }: MainDatabase) {
  /** Cached secrets by tenant, because each message needs its tenant's. */
  const cached = new Map<TenantId, StoredSecret>();
  return {
    find(tenantId: TenantId): StoredSecret | undefined {
      const existing = cached.get(tenantId);
      if (existing !== undefined) return existing;
      const row = orm.select().from(webhookSecrets).where(eq(webhookSecrets.tenantId, tenantId)).get();
      if (row === undefined) return undefined;
      const secret = omit(row, "tenantId");
      cached.set(tenantId, secret);
      return secret;
    },
    save(tenantId: TenantId, secret: StoredSecret): void {
      cached.delete(tenantId);
      orm
        .insert(webhookSecrets)
        .values({ tenantId, ...secret })
        .onConflictDoUpdate({ target: webhookSecrets.tenantId, set: { ...secret } })
        .run();
    },
    /** Forgets the secret of a deleted tenant. */
    forget: (tenantId: TenantId): void => void cached.delete(tenantId),
  };
}

export type WebhookSecretsRepository = ReturnType<typeof createWebhookSecretsRepository>;
