import { asc, count, eq, sql } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { modbusConnections, modbusUnits } from "./modbus.tables.ts";
import type { ModbusConnectionRecord, ModbusUnit } from "./modbus.types.ts";

export function createModbusRepository({ orm }: MainDatabase) {
  const ofDevice = orm
    .select()
    .from(modbusUnits)
    .where(eq(modbusUnits.deviceId, sql.placeholder("deviceId")))
    .prepare();
  return {
    listEnabled: (): ModbusConnectionRecord[] =>
      orm.select().from(modbusConnections).where(eq(modbusConnections.enabled, true)).all(),
    list: (tenantId: TenantId): ModbusConnectionRecord[] =>
      orm
        .select()
        .from(modbusConnections)
        .where(eq(modbusConnections.tenantId, tenantId))
        .orderBy(sql`${modbusConnections.name} COLLATE NOCASE`, asc(modbusConnections.connectionId))
        .all(),
    find: (connectionId: string): ModbusConnectionRecord | undefined =>
      orm.select().from(modbusConnections).where(eq(modbusConnections.connectionId, connectionId)).get(),
    insert: (connection: ModbusConnectionRecord): void =>
      void orm.insert(modbusConnections).values(connection).run(),
    update: ({ connectionId, ...fields }: ModbusConnectionRecord): void =>
      void orm
        .update(modbusConnections)
        .set(fields)
        .where(eq(modbusConnections.connectionId, connectionId))
        .run(),
    delete: (connectionId: string): void =>
      void orm.delete(modbusConnections).where(eq(modbusConnections.connectionId, connectionId)).run(),

    unitsOf: (connectionId: string): ModbusUnit[] =>
      orm
        .select()
        .from(modbusUnits)
        .where(eq(modbusUnits.connectionId, connectionId))
        .orderBy(asc(modbusUnits.unitId), asc(modbusUnits.modbusUnitId))
        .all(),
    countUnits: (connectionId: string): number =>
      orm.select({ count: count() }).from(modbusUnits).where(eq(modbusUnits.connectionId, connectionId)).get()
        ?.count ?? 0,
    findUnit: (modbusUnitId: string): ModbusUnit | undefined =>
      orm.select().from(modbusUnits).where(eq(modbusUnits.modbusUnitId, modbusUnitId)).get(),
    unitOfDevice: (deviceId: DeviceId): ModbusUnit | undefined => ofDevice.get({ deviceId }),
    insertUnit: (unit: ModbusUnit): void => void orm.insert(modbusUnits).values(unit).run(),
    updateUnit: ({ modbusUnitId, ...fields }: ModbusUnit): void =>
      void orm.update(modbusUnits).set(fields).where(eq(modbusUnits.modbusUnitId, modbusUnitId)).run(),
    deleteUnit: (modbusUnitId: string): void =>
      void orm.delete(modbusUnits).where(eq(modbusUnits.modbusUnitId, modbusUnitId)).run(),
  };
}

export type ModbusRepository = ReturnType<typeof createModbusRepository>;
