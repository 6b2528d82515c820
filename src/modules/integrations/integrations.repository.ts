import { and, asc, count, eq, ne, sql } from "drizzle-orm";
import type { TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { integrations } from "./integrations.tables.ts";
import type { Integration, IntegrationCounts, IntegrationType } from "./integrations.types.ts";

type Row = typeof integrations.$inferSelect;
const toIntegration = (row: Row): Integration => ({ ...row, tenantId: row.tenantId as TenantId }); // minted by us

export function createIntegrationsRepository({ orm }: MainDatabase) {
  const listed = (...conditions: Parameters<typeof and>): Integration[] =>
    orm
      .select()
      .from(integrations)
      .where(and(...conditions))
      .orderBy(sql`${integrations.name} COLLATE NOCASE`, asc(integrations.integrationId))
      .all()
      .map(toIntegration);
  const whereId = (integrationId: string) => eq(integrations.integrationId, integrationId);
  // Asked for with each message: prepared.
  const byId = orm
    .select()
    .from(integrations)
    .where(eq(integrations.integrationId, sql.placeholder("integrationId")))
    .prepare();
  const ofTenant = orm
    .select({ tenantId: integrations.tenantId })
    .from(integrations)
    .where(eq(integrations.integrationId, sql.placeholder("integrationId")));
  const besides = orm
    .select({ n: count() })
    .from(integrations)
    .where(eq(integrations.tenantId, ofTenant))
    .prepare();
  const defaultOf = orm
    .select()
    .from(integrations)
    .where(
      and(
        eq(integrations.tenantId, sql.placeholder("tenantId")),
        eq(integrations.type, sql.placeholder("type")),
        eq(integrations.isDefault, true),
      ),
    )
    .limit(1)
    .prepare();
  const found = (row: Row | undefined) => row && toIntegration(row);
  const set = (integrationId: string, values: Partial<Row>) =>
    void orm.update(integrations).set(values).where(whereId(integrationId)).run();
  return {
    /** Lists by name. */
    list: (tenantId: TenantId): Integration[] => listed(eq(integrations.tenantId, tenantId)),
    /** Lists integrations of all tenants, except drafts. */
    listStarted: (): Integration[] => listed(ne(integrations.status, "draft")),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(integrations).where(eq(integrations.tenantId, tenantId)).get()?.n ?? 0,
    /** Returns how many integrations the tenant of this one has, itself included; 0 if it does not exist. */
    countBeside: (integrationId: string): number => besides.get({ integrationId })?.n ?? 0,
    find: (integrationId: string): Integration | undefined => found(byId.get({ integrationId })),
    findDefault: (tenantId: TenantId, type: IntegrationType): Integration | undefined =>
      found(defaultOf.get({ tenantId, type })),
    insert: (integration: Integration): void => void orm.insert(integrations).values(integration).run(),
    /** All but its counts. */
    update(integration: Integration): void {
      const { name, type, status, isDefault, settings, secrets, mappingSteps } = integration;
      const { lastError, lastErrorAt, updatedAt } = integration;
      const options = { name, type, status, isDefault, settings, secrets, mappingSteps };
      set(integration.integrationId, { ...options, lastError, lastErrorAt, updatedAt });
    },
    /** The only default of its type. */
    setDefault({ tenantId, type, integrationId }: Integration, now: number): void {
      const ofType = and(eq(integrations.tenantId, tenantId), eq(integrations.type, type));
      orm
        .update(integrations)
        .set({ isDefault: false, updatedAt: now })
        .where(and(ofType, eq(integrations.isDefault, true)))
        .run();
      set(integrationId, { isDefault: true, updatedAt: now });
    },
    delete: (integrationId: string): void =>
      void orm.delete(integrations).where(whereId(integrationId)).run(),
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
