import { eq } from "drizzle-orm";
import type { TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { ChangeCursor } from "./uplink.protocol.ts";
import { type Uplink, uplinkResource } from "./uplinks.resource.ts";
import { uplinks } from "./uplinks.tables.ts";

export function createUplinksRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const store = uplinkResource.createStore(database, clock);
  const whereId = (uplinkId: string) => eq(uplinks.uplinkId, uplinkId);
  return {
    ...store,
    /** Lists the uplinks of all tenants. */
    listAll: (): Uplink[] => orm.select().from(uplinks).all(),
    hasAny: (tenantId: TenantId): boolean => store.count(tenantId) > 0,
    setCursor: (uplinkId: string, cursor: ChangeCursor): void =>
      void orm.update(uplinks).set({ cursor }).where(whereId(uplinkId)).run(),
    cursorOf: (uplinkId: string): ChangeCursor | undefined =>
      orm.select({ cursor: uplinks.cursor }).from(uplinks).where(whereId(uplinkId)).get()?.cursor,
  };
}

export type UplinksRepository = ReturnType<typeof createUplinksRepository>;
