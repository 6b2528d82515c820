import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { SerialSettings } from "../../lib/modbus/modbus-lists.ts";
import { connectionColumns, unitColumns } from "../field/field.tables.ts";
import type { ModbusRegister } from "./modbus.types.ts";

/** Modbus TCP servers and serial lines. `host` is the path of a serial port for the framing SERIAL. */
export const modbusConnections = sqliteTable(
  "modbus_connections",
  {
    ...connectionColumns(),
    framing: text("framing", { enum: ["TCP", "RTU", "SERIAL"] }).notNull(),
    /** Settings of a serial port; `null` for the other framings. */
    serial: text("serial", { mode: "json" }).$type<SerialSettings>(),
    /** Pause between two requests, in ms. */
    pauseMs: integer("pause_ms").notNull(),
  },
  (table) => [uniqueIndex("modbus_connections_name").on(table.tenantId, table.name)],
);

/** Units of the connections. */
export const modbusUnits = sqliteTable(
  "modbus_units",
  {
    modbusUnitId: text("modbus_unit_id").primaryKey(),
    ...unitColumns(() => modbusConnections.connectionId),
    unitId: integer("unit_id").notNull(),
    wordsMax: integer("words_max").notNull(),
    gapMax: integer("gap_max").notNull(),
    registers: text("registers", { mode: "json" }).notNull().$type<readonly ModbusRegister[]>(),
  },
  (table) => [
    uniqueIndex("modbus_units_device").on(table.deviceId),
    index("modbus_units_connection").on(table.connectionId, table.unitId),
  ],
);
