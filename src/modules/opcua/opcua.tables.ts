import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
  OPCUA_POLICIES,
  OPCUA_READINGS,
  OPCUA_SECURITY_MODES,
  OPCUA_USERS,
} from "../../lib/opcua/opcua-lists.ts";
import { connectionColumns, unitColumns } from "../field/field.tables.ts";
import type { OpcUaItem } from "./opcua.types.ts";

/** Servers of OPC UA. */
export const opcuaConnections = sqliteTable(
  "opcua_connections",
  {
    ...connectionColumns(),
    /** Last part of the address. */
    path: text("path").notNull(),
    securityMode: text("security_mode", { enum: OPCUA_SECURITY_MODES }).notNull(),
    securityPolicy: text("security_policy", { enum: OPCUA_POLICIES }).notNull(),
    /** SHA-256 of the server's certificate that a person has accepted. */
    acceptedFingerprint: text("accepted_fingerprint"),
    signIn: text("sign_in", { enum: OPCUA_USERS }).notNull(),
    userName: text("user_name"),
    passwordSealed: text("password_sealed"),
    /** Whether values of uncertain quality are stored. */
    storesUncertain: integer("stores_uncertain", { mode: "boolean" }).notNull(),
    /** Connections of versions without subscriptions go on polling. */
    reading: text("reading", { enum: OPCUA_READINGS }).notNull().default("POLLING"),
  },
  (table) => [uniqueIndex("opcua_connections_name").on(table.tenantId, table.name)],
);

/** What the connections read for each device. */
export const opcuaUnits = sqliteTable(
  "opcua_units",
  {
    opcuaUnitId: text("opcua_unit_id").primaryKey(),
    ...unitColumns(() => opcuaConnections.connectionId),
    /** Changes of values that are not stored, unless an item has its own. */
    deadband: real("deadband"),
    items: text("items", { mode: "json" }).notNull().$type<readonly OpcUaItem[]>(),
  },
  (table) => [
    uniqueIndex("opcua_units_device").on(table.deviceId),
    index("opcua_units_connection").on(table.connectionId),
  ],
);
