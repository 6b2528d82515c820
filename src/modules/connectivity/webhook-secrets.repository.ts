import { eq, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
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
  // Looked at with each message: prepared.
  const byTenant = orm
    .select()
    .from(webhookSecrets)
    .where(eq(webhookSecrets.tenantId, sql.placeholder("tenantId")))
    .prepare();
  return {
    find(tenantId: TenantId): StoredSecret | undefined {
      const row = byTenant.get({ tenantId });
      if (row === undefined) return undefined;
      const { tenantId: _, ...secret } = row;
      return secret;
    },
    save: (tenantId: TenantId, secret: StoredSecret): void =>
      void orm
        .insert(webhookSecrets)
        .values({ tenantId, ...secret })
        .onConflictDoUpdate({ target: webhookSecrets.tenantId, set: { ...secret } })
        .run(),
  };
}

export type WebhookSecretsRepository = ReturnType<typeof createWebhookSecretsRepository>;
