import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { deviceColumn } from "../devices/devices.tables.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";

/** Readings whose timestamps are too far ahead of the gateway's clock, until it catches up. */
export const heldReadings = sqliteTable(
  "held_readings",
  {
    seq: integer("seq").primaryKey({ autoIncrement: true }),
    deviceId: deviceColumn(),
    /** Time from which the readings are accepted. */
    dueAt: integer("due_at").notNull(),
    readings: text("readings", { mode: "json" }).notNull().$type<readonly Reading[]>(),
    receivedAt: integer("received_at").notNull(),
  },
  (table) => [
    index("held_readings_device").on(table.deviceId, table.seq),
    index("held_readings_due").on(table.dueAt),
  ],
);
