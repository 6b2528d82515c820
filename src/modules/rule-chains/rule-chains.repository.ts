import { and, asc, count, eq, or, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { ruleChains } from "./rule-chains.tables.ts";
import type { RuleChain } from "./rule-chains.types.ts";

export function createRuleChainsRepository({ orm }: MainDatabase) {
  const listed = (...conditions: Parameters<typeof and>): RuleChain[] =>
    orm
      .select()
      .from(ruleChains)
      .where(and(...conditions))
      .orderBy(asc(ruleChains.name), asc(ruleChains.id))
      .all();
  return {
    list: (tenantId: TenantId): RuleChain[] => listed(eq(ruleChains.tenantId, tenantId)),
    /** Of all tenants. */
    listActive: (): RuleChain[] => listed(eq(ruleChains.status, "active"), eq(ruleChains.enabled, true)),
    /** Those that name the device or had it made. */
    listOfDevice: (tenantId: TenantId, deviceId: DeviceId): RuleChain[] =>
      listed(
        eq(ruleChains.tenantId, tenantId),
        // An id is nothing that could stand in a config by chance; what is found is looked at by the caller.
        or(eq(ruleChains.virtualDeviceId, deviceId), sql`instr(${ruleChains.config}, ${deviceId}) > 0`),
      ),
    count: (tenantId: TenantId): number =>
      orm.select({ n: count() }).from(ruleChains).where(eq(ruleChains.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId: TenantId, id: string): RuleChain | undefined =>
      listed(eq(ruleChains.tenantId, tenantId), eq(ruleChains.id, id))[0],
    insert: (chain: RuleChain): void => void orm.insert(ruleChains).values(chain).run(),
    update: (chain: RuleChain): void =>
      void orm.update(ruleChains).set(chain).where(eq(ruleChains.id, chain.id)).run(),
    delete: (id: string): void => void orm.delete(ruleChains).where(eq(ruleChains.id, id)).run(),
  };
}

export type RuleChainsRepository = ReturnType<typeof createRuleChainsRepository>;
