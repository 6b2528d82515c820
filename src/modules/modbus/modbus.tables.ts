import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { SerialSettings } from "../../lib/modbus/modbus-lists.ts";
import { devices } from "../devices/devices.tables.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import type { ModbusRegister } from "./modbus.types.ts";

/** Modbus TCP servers and serial lines. */
export const modbusConnections = sqliteTable(
  "modbus_connections",
  {
    connectionId: text("connection_id").primaryKey(),
    tenantId: text("tenant_id")
      .notNull()
      .$type<TenantId>()
      .references(() => tenants.tenantId, { onDelete: "cascade" }),
    name: text("name").notNull(),
    enabled: integer("enabled", { mode: "boolean" }).notNull(),
    /** Address, name or, for a serial port, its path. */
    host: text("host").notNull(),
    port: integer("port").notNull(),
    framing: text("framing", { enum: ["TCP", "RTU", "SERIAL"] }).notNull(),
    /** Settings of a serial port; `null` for the other framings. */
    serial: text("serial", { mode: "json" }).$type<SerialSettings>(),
    timeoutMs: integer("timeout_ms").notNull(),
    /** Pause between two requests. */
    pauseMs: integer("pause_ms").notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [uniqueIndex("modbus_connections_name").on(table.tenantId, table.name)],
);

/** Units of the connections. A device has the values of one unit. */
export const modbusUnits = sqliteTable(
  "modbus_units",
  {
    modbusUnitId: text("modbus_unit_id").primaryKey(),
    connectionId: text("connection_id")
      .notNull()
      .references(() => modbusConnections.connectionId, { onDelete: "cascade" }),
    deviceId: text("device_id")
      .notNull()
      .$type<DeviceId>()
      .references(() => devices.deviceId, { onDelete: "cascade" }),
    unitId: integer("unit_id").notNull(),
    intervalMs: integer("interval_ms").notNull(),
    wordsMax: integer("words_max").notNull(),
    gapMax: integer("gap_max").notNull(),
    registers: text("registers", { mode: "json" }).notNull().$type<readonly ModbusRegister[]>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    uniqueIndex("modbus_units_device").on(table.deviceId),
    index("modbus_units_connection").on(table.connectionId, table.unitId),
  ],
);
