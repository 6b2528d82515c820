import { index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import {
  OPCUA_POLICIES,
  OPCUA_READINGS,
  OPCUA_SECURITY_MODES,
  OPCUA_USERS,
} from "../../lib/opcua/opcua-lists.ts";
import { connectionColumns, unitColumns } from "../field/field.tables.ts";
import type { OpcUaItem } from "./opcua.types.ts";

/** OPC UA servers. */
export const opcuaConnections = sqliteTable(
  "opcua_connections",
  {
    ...connectionColumns(),
    /** Path of the endpoint URL. */
    path: text("path").notNull(),
    securityMode: text("security_mode", { enum: OPCUA_SECURITY_MODES }).notNull(),
    securityPolicy: text("security_policy", { enum: OPCUA_POLICIES }).notNull(),
    /** SHA-256 fingerprint of the server certificate accepted by a user. */
    acceptedFingerprint: text("accepted_fingerprint"),
    signIn: text("sign_in", { enum: OPCUA_USERS }).notNull(),
    userName: text("user_name"),
    passwordSealed: text("password_sealed"),
    /** True if values of uncertain quality are stored. */
    storesUncertain: integer("stores_uncertain", { mode: "boolean" }).notNull(),
    /** Default for connections from versions without subscriptions: polling. */
    reading: text("reading", { enum: OPCUA_READINGS }).notNull().default("POLLING"),
  },
  (table) => [uniqueIndex("opcua_connections_name").on(table.tenantId, table.name)],
);

/** Items that the connections read, by device. */
export const opcuaUnits = sqliteTable(
  "opcua_units",
  {
    opcuaUnitId: text("opcua_unit_id").primaryKey(),
    ...unitColumns(() => opcuaConnections.connectionId),
    /** Max. change that is not stored; default for items. */
    deadband: real("deadband"),
    items: text("items", { mode: "json" }).notNull().$type<readonly OpcUaItem[]>(),
  },
  (table) => [
    uniqueIndex("opcua_units_device").on(table.deviceId),
    index("opcua_units_connection").on(table.connectionId),
  ],
);
