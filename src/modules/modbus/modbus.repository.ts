import { and, asc, count, eq, ne, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { type ModbusConnectionRecord, modbusConnectionResource } from "./modbus.resource.ts";
import { modbusConnections, modbusUnits } from "./modbus.tables.ts";
import type { ModbusUnit } from "./modbus.types.ts";

export function createModbusRepository(database: MainDatabase, clock: Clock) {
  const { orm } = database;
  const ofDevice = orm
    .select()
    .from(modbusUnits)
    .where(eq(modbusUnits.deviceId, sql.placeholder("deviceId")))
    .prepare();
  return {
    ...modbusConnectionResource.createStore(database, clock),
    listEnabled: (): ModbusConnectionRecord[] =>
      orm.select().from(modbusConnections).where(eq(modbusConnections.enabled, true)).all(),
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
    /** Returns the number of registers of the other units of the connection. */
    countOtherRegisters: (connectionId: string, modbusUnitId: string): number =>
      orm
        .select({ sum: sql<number>`coalesce(sum(json_array_length(${modbusUnits.registers})), 0)` })
        .from(modbusUnits)
        .where(and(eq(modbusUnits.connectionId, connectionId), ne(modbusUnits.modbusUnitId, modbusUnitId)))
        .get()?.sum ?? 0,
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
