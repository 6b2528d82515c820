import { and, asc, count, eq, getTableColumns, ne, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { lazyStatement } from "../../platform/database/lazy-statement.ts";
import type { ResourceStore } from "../../platform/database/resource-store.ts";
import type { FieldKind, FieldProtocol } from "./field.protocol.ts";

/** Tables of a protocol: `connectionColumns` and `unitColumns`, plus columns of the protocol. */
export interface FieldTables {
  readonly connections: SQLiteTable;
  readonly units: SQLiteTable;
  /** Columns of the unit's id, its entries and the sort order of units. */
  readonly unitId: string;
  readonly entries: string;
  readonly unitOrder: string;
}

export function createFieldRepository<Kind extends FieldKind>(
  { orm }: Pick<MainDatabase, "orm">,
  { connections, units, ...names }: FieldTables,
  {
    protocol,
    store,
  }: {
    readonly protocol: Pick<FieldProtocol<Kind>, "unitIdOf">;
    readonly store: ResourceStore<Kind["connection"], "connectionId">;
  },
) {
  const columns: Record<string, SQLiteColumn> = getTableColumns(units);
  const column = (name: string): SQLiteColumn => columns[name] as SQLiteColumn; // of `unitColumns`, or named by the protocol
  const isEnabled = eq(getTableColumns(connections).enabled as SQLiteColumn, true);
  const isOfConnection = (connectionId: string) => eq(column("connectionId"), connectionId);
  const unitId = column(names.unitId);
  const ofDevice = lazyStatement(() =>
    orm
      .select()
      .from(units)
      .where(eq(column("deviceId"), sql.placeholder("deviceId"))),
  );
  // The rows come from the protocol's tables, whose types the compiler cannot infer here.
  return {
    ...store,
    listEnabled: () => orm.select().from(connections).where(isEnabled).all() as Kind["connection"][],
    unitsOf: (connectionId: string) =>
      orm
        .select()
        .from(units)
        .where(isOfConnection(connectionId))
        .orderBy(asc(column(names.unitOrder)), asc(unitId))
        .all() as Kind["unit"][],
    countUnits: (connectionId: string): number =>
      orm.select({ count: count() }).from(units).where(isOfConnection(connectionId)).get()?.count ?? 0,
    /** Returns the number of entries in the connection's other units. */
    countOtherEntries: (unit: Kind["unit"]): number =>
      orm
        .select({ sum: sql<number>`coalesce(sum(json_array_length(${column(names.entries)})), 0)` })
        .from(units)
        .where(and(isOfConnection(unit.connectionId), ne(unitId, protocol.unitIdOf(unit))))
        .get()?.sum ?? 0,
    findUnit: (id: string) =>
      orm.select().from(units).where(eq(unitId, id)).get() as Kind["unit"] | undefined,
    unitOfDevice: (deviceId: DeviceId) => ofDevice.get({ deviceId }) as Kind["unit"] | undefined,
    insertUnit: (unit: Kind["unit"]): void => void orm.insert(units).values(unit).run(),
    updateUnit: (unit: Kind["unit"]): void =>
      void orm
        .update(units)
        .set(unit)
        .where(eq(unitId, protocol.unitIdOf(unit)))
        .run(),
    deleteUnit: (id: string): void => void orm.delete(units).where(eq(unitId, id)).run(),
  };
}

export type FieldRepository<Kind extends FieldKind> = ReturnType<typeof createFieldRepository<Kind>>;
