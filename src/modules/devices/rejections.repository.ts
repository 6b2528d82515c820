import { desc, eq, sql } from "drizzle-orm";
import type { DeviceId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { newId } from "../../platform/ids.ts";
import type { IngestSource } from "../ingest/ingest.types.ts";
import { deviceRejections } from "./devices.tables.ts";
import type { DeviceRejection } from "./devices.types.ts";
import { rejectionReason } from "./rejection-reason.ts";

export function createRejectionsRepository({ orm }: MainDatabase) {
  const insert = orm
    .insert(deviceRejections)
    .values({
      rejectionId: sql.placeholder("rejectionId"),
      deviceId: sql.placeholder("deviceId"),
      at: sql.placeholder("at"),
      source: sql.placeholder("source"),
      where: sql.placeholder("where"),
      code: sql.placeholder("code"),
      params: sql.placeholder("params"),
      sample: sql.placeholder("sample"),
    })
    .prepare();
  const device = sql.placeholder("deviceId");
  const trim = orm
    .delete(deviceRejections)
    .where(
      sql`${deviceRejections.deviceId} = ${device} AND ${deviceRejections.rejectionId} NOT IN (SELECT rejection_id FROM device_rejections WHERE device_id = ${device} ORDER BY at DESC, rejection_id DESC LIMIT ${sql.placeholder("keep")})`,
    )
    .prepare();
  return {
    list: (deviceId: DeviceId, limit: number): DeviceRejection[] =>
      orm
        .select()
        .from(deviceRejections)
        .where(eq(deviceRejections.deviceId, deviceId))
        .orderBy(desc(deviceRejections.at), desc(deviceRejections.rejectionId))
        .limit(limit)
        .all()
        .map((row) => ({
          at: new Date(row.at).toISOString(),
          source: row.source as IngestSource, // written by `insert`
          where: row.where,
          code: row.code,
          params: row.params,
          reason: rejectionReason(row),
          ...(row.sample === null ? {} : { sample: row.sample }),
        })),
    insert: (deviceId: DeviceId, { at, sample, reason: _, ...rejection }: DeviceRejection): void =>
      void insert.run({
        ...rejection,
        rejectionId: newId(),
        deviceId,
        at: Date.parse(at),
        sample: sample ?? null,
      }),
    /** Keeps the newest `keep` of a device. */
    trim: (deviceId: DeviceId, keep: number): void => void trim.run({ deviceId, keep }),
  };
}

export type RejectionsRepository = ReturnType<typeof createRejectionsRepository>;
