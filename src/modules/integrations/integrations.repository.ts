import { and, asc, count, eq, getTableColumns, ne, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import { omit } from "../../lib/core/omit.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type BriefIntegration, type Integration, integrationResource } from "./integrations.resource.ts";
import { integrations } from "./integrations.tables.ts";
import type { IntegrationCounts, IntegrationType } from "./integrations.types.ts";

type Row = typeof integrations.$inferSelect;

const inOrder = [sql`${integrations.name} COLLATE NOCASE`, asc(integrations.integrationId)];

export function createIntegrationsRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const whereId = (integrationId: string) => eq(integrations.integrationId, integrationId);
  const ofTenant = orm
    .select({ tenantId: integrations.tenantId })
    .from(integrations)
    .where(eq(integrations.integrationId, sql.placeholder("integrationId")));
  const besides = lazyStatement(() =>
    orm.select({ n: count() }).from(integrations).where(eq(integrations.tenantId, ofTenant)),
  );
  const defaultOf = lazyStatement(() =>
    orm
      .select()
      .from(integrations)
      .where(
        and(
          eq(integrations.tenantId, sql.placeholder("tenantId")),
          eq(integrations.type, sql.placeholder("type")),
          eq(integrations.isDefault, true),
        ),
      )
      .limit(1),
  );
  const set = (integrationId: string, values: Partial<Row>) =>
    void orm.update(integrations).set(values).where(whereId(integrationId)).run();
  const briefly = lazyStatement(() =>
    orm
      .select(omit(getTableColumns(integrations), "mappingSteps"))
      .from(integrations)
      .where(eq(integrations.tenantId, sql.placeholder("tenantId")))
      .orderBy(...inOrder),
  );
  const { list: _, ...store } = integrationResource.createStore(database, clock);
  return {
    ...store,
    /** Lists the integrations of a tenant without their mappings, which may be long. */
    listBriefly: (tenantId: TenantId): BriefIntegration[] => briefly.all({ tenantId }),
    /** Returns the number of integrations in the integration's tenant, including itself; 0 if it does not exist. */
    countBeside: (integrationId: string): number => besides.get({ integrationId })?.n ?? 0,
    /** Lists integrations of all tenants, except drafts. */
    listStarted: (): Integration[] =>
      orm
        .select()
        .from(integrations)
        .where(ne(integrations.status, "draft"))
        .orderBy(...inOrder)
        .all(),
    findDefault: (tenantId: TenantId, type: IntegrationType): Integration | undefined =>
      defaultOf.get({ tenantId, type }),
    /** Makes the integration the only default of its type. */
    setDefault({ tenantId, type, integrationId }: BriefIntegration, now: number): void {
      const ofType = and(eq(integrations.tenantId, tenantId), eq(integrations.type, type));
      orm
        .update(integrations)
        .set({ isDefault: false, updatedAt: now })
        .where(and(ofType, eq(integrations.isDefault, true)))
        .run();
      set(integrationId, { isDefault: true, updatedAt: now });
    },
    addCounts: (integrationId: string, counts: IntegrationCounts & { lastMessageAt: number | null }): void =>
      void orm
        .update(integrations)
        .set({
          received: sql`${integrations.received} + ${counts.received}`,
          stored: sql`${integrations.stored} + ${counts.stored}`,
          dropped: sql`${integrations.dropped} + ${counts.dropped}`,
          failed: sql`${integrations.failed} + ${counts.failed}`,
          sent: sql`${integrations.sent} + ${counts.sent}`,
          ...(counts.lastMessageAt !== null && { lastMessageAt: counts.lastMessageAt }),
        })
        .where(whereId(integrationId))
        .run(),
    setState: (
      integrationId: string,
      { status, lastError, lastErrorAt }: Pick<Integration, "status" | "lastError" | "lastErrorAt">,
    ): void => set(integrationId, { status, lastError, lastErrorAt }),
  };
}

export type IntegrationsRepository = ReturnType<typeof createIntegrationsRepository>;
