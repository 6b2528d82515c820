import { asc, count, countDistinct, eq, inArray, lte, max, min, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { devices } from "../devices/devices.tables.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { tenants } from "../tenants/tenants.tables.ts";
import { heldReadings } from "./held.tables.ts";

export interface HeldMessage {
  readonly seq: number;
  readonly deviceId: DeviceId;
  readonly readings: readonly Reading[];
}

/** Messages of a device, and the bytes of their readings. */
export interface HeldSize {
  readonly messages: number;
  readonly bytes: number;
}

/** Message without its readings. */
export interface HeldHead {
  readonly seq: number;
  readonly bytes: number;
}

const bytes = sql<number>`octet_length(${heldReadings.readings})`;
const head = { seq: heldReadings.seq, bytes };

export function createHeldRepository({ orm }: MainDatabase) {
  const devicesOfHost = orm
    .select({ deviceId: devices.deviceId })
    .from(devices)
    .innerJoin(tenants, eq(tenants.tenantId, devices.tenantId))
    .where(eq(tenants.isHost, true));
  const toMessage = ({ seq, deviceId, readings }: typeof heldReadings.$inferSelect): HeldMessage => ({
    seq,
    deviceId,
    readings,
  });
  return {
    insert: (message: {
      deviceId: DeviceId;
      dueAt: number;
      readings: readonly Reading[];
      receivedAt: number;
    }): void => void orm.insert(heldReadings).values(message).run(),
    sizeOf: (deviceId: DeviceId): HeldSize =>
      orm
        .select({ messages: count(), bytes: sql<number>`coalesce(sum(${bytes}), 0)` })
        .from(heldReadings)
        .where(eq(heldReadings.deviceId, deviceId))
        .get() ?? { messages: 0, bytes: 0 },
    /** Lists messages that are due, oldest first, without their readings. */
    listDue: (now: number, limit: number): HeldHead[] =>
      orm
        .select(head)
        .from(heldReadings)
        .where(lte(heldReadings.dueAt, now))
        .orderBy(asc(heldReadings.seq))
        .limit(limit)
        .all(),
    listOf: (deviceId: DeviceId, limit: number): HeldHead[] =>
      orm
        .select(head)
        .from(heldReadings)
        .where(eq(heldReadings.deviceId, deviceId))
        .orderBy(asc(heldReadings.seq))
        .limit(limit)
        .all(),
    read: (seqs: readonly number[]): HeldMessage[] =>
      orm
        .select()
        .from(heldReadings)
        .where(inArray(heldReadings.seq, [...seqs]))
        .orderBy(asc(heldReadings.seq))
        .all()
        .map(toMessage),
    delete: (seqs: readonly number[]): void =>
      void orm
        .delete(heldReadings)
        .where(inArray(heldReadings.seq, [...seqs]))
        .run(),
    deleteOf: (deviceId: DeviceId): void =>
      void orm.delete(heldReadings).where(eq(heldReadings.deviceId, deviceId)).run(),
    /** Counts messages of the host's devices; those of other sites say nothing about the gateway's clock. */
    summary: (): { messages: number; devices: number } =>
      orm
        .select({ messages: count(), devices: countDistinct(heldReadings.deviceId) })
        .from(heldReadings)
        .where(inArray(heldReadings.deviceId, devicesOfHost))
        .get() ?? { messages: 0, devices: 0 },
    /** Returns number and acceptance times of a device's messages. */
    summaryOf: (deviceId: DeviceId) =>
      orm
        .select({
          messages: count(),
          firstDueAt: min(heldReadings.dueAt),
          lastDueAt: max(heldReadings.dueAt),
        })
        .from(heldReadings)
        .where(eq(heldReadings.deviceId, deviceId))
        .get() ?? { messages: 0, firstDueAt: null, lastDueAt: null },
  };
}

export type HeldRepository = ReturnType<typeof createHeldRepository>;
