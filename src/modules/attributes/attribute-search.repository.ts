import { and, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { contains } from "../../platform/database/contains.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { devices } from "../devices/devices.tables.ts";
import { attributes } from "./attributes.tables.ts";

/** Rows of one step, which takes about 5 ms. Other requests are handled between two steps. */
const ROWS_PER_STEP = 10_000;
/** Max. bytes of a searched value. Longer strings and objects are not worth searching. */
const VALUE_BYTES_MAX = 256;
/** Max. devices that a search finds; a longer search string finds fewer. */
const FOUND_MAX = 10_000;

/** Creates the search for devices by attribute values. Reads the table in steps, so that other requests are not blocked. */
export function createAttributeSearch({ orm }: MainDatabase) {
  const span = lazyStatement(() =>
    orm
      .select({ first: sql<number | null>`min(rowid)`, last: sql<number | null>`max(rowid)` })
      .from(attributes),
  );
  const step = lazyStatement(() =>
    orm
      .selectDistinct({ deviceId: attributes.deviceId })
      .from(attributes)
      .innerJoin(devices, eq(devices.deviceId, attributes.deviceId))
      .where(
        and(
          sql`${attributes}.rowid BETWEEN ${sql.placeholder("first")} AND ${sql.placeholder("last")}`,
          sql`octet_length(${attributes.value}) <= ${VALUE_BYTES_MAX}`,
          contains(attributes.value, sql.placeholder("text")),
          // The unary plus keeps SQLite from using the index of tenants, because few rows remain.
          sql`+${devices.tenantId} = ${sql.placeholder("tenantId")}`,
        ),
      ),
  );

  return async (tenantId: TenantId, text: string, signal: AbortSignal): Promise<DeviceId[]> => {
    const { first, last } = span.get() ?? {};
    const found = new Set<DeviceId>();
    for (let begin = first ?? 1; begin <= (last ?? 0); begin += ROWS_PER_STEP) {
      const end = begin + ROWS_PER_STEP - 1;
      for (const { deviceId } of step.all({ first: begin, last: end, text, tenantId })) found.add(deviceId);
      if (signal.aborted || found.size >= FOUND_MAX) break;
      await workShare.next(); // in its own round: many searches may be in progress
    }
    return [...found].slice(0, FOUND_MAX);
  };
}
