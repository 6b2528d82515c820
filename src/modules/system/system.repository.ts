import { count } from "drizzle-orm";
import type { MainDatabase } from "../../platform/database/database.ts";
import { devices } from "../devices/devices.tables.ts";
import { mails } from "../mail/mail.tables.ts";
import { outboundRequests } from "../outbound/outbound.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";

/** Creates counts of other modules' data, for the whole gateway. */
export function createSystemRepository({ orm }: MainDatabase) {
  const byState = (rows: readonly { state: string; n: number }[]) =>
    new Map(rows.map(({ state, n }) => [state, n]));
  return {
    countDevices: (): number => orm.select({ n: count() }).from(devices).get()?.n ?? 0,
    countTenants: (): number => orm.select({ n: count() }).from(tenants).get()?.n ?? 0,
    /** Returns the number of mails by state: QUEUED, SENT, FAILED, HELD. */
    countMails: (): Map<string, number> =>
      byState(orm.select({ state: mails.state, n: count() }).from(mails).groupBy(mails.state).all()),
    /** Returns the number of requests in the delivery queue by state: WAITING, DEAD. */
    countDeliveries: (): Map<string, number> =>
      byState(
        orm
          .select({ state: outboundRequests.state, n: count() })
          .from(outboundRequests)
          .groupBy(outboundRequests.state)
          .all(),
      ),
  };
}

export type SystemRepository = ReturnType<typeof createSystemRepository>;
