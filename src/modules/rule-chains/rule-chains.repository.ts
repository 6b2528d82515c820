import { and, asc, count, eq, or, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { ruleChains } from "./rule-chains.tables.ts";
import type { RuleChain } from "./rule-chains.types.ts";

export interface RuleChainsRepository {
  list(tenantId: TenantId): RuleChain[];
  /** Of all tenants. */
  listActive(): RuleChain[];
  /** Those that name the device or had it made. */
  listOfDevice(tenantId: TenantId, deviceId: DeviceId): RuleChain[];
  count(tenantId: TenantId): number;
  find(tenantId: TenantId, id: string): RuleChain | undefined;
  insert(chain: RuleChain): void;
  update(chain: RuleChain): void;
  delete(id: string): void;
}

export function createRuleChainsRepository({ orm }: MainDatabase): RuleChainsRepository {
  const listed = (...conditions: Parameters<typeof and>): RuleChain[] =>
    orm
      .select()
      .from(ruleChains)
      .where(and(...conditions))
      .orderBy(asc(ruleChains.name), asc(ruleChains.id))
      .all();
  return {
    list: (tenantId) => listed(eq(ruleChains.tenantId, tenantId)),
    listActive: () => listed(eq(ruleChains.status, "active"), eq(ruleChains.enabled, true)),
    listOfDevice: (tenantId, deviceId) =>
      listed(
        eq(ruleChains.tenantId, tenantId),
        // An id is nothing that could stand in a config by chance; what is found is looked at by the caller.
        or(eq(ruleChains.virtualDeviceId, deviceId), sql`instr(${ruleChains.config}, ${deviceId}) > 0`),
      ),
    count: (tenantId) =>
      orm.select({ n: count() }).from(ruleChains).where(eq(ruleChains.tenantId, tenantId)).get()?.n ?? 0,
    find: (tenantId, id) => listed(eq(ruleChains.tenantId, tenantId), eq(ruleChains.id, id))[0],
    insert: (chain) => void orm.insert(ruleChains).values(chain).run(),
    update: (chain) => void orm.update(ruleChains).set(chain).where(eq(ruleChains.id, chain.id)).run(),
    delete: (id) => void orm.delete(ruleChains).where(eq(ruleChains.id, id)).run(),
  };
}
