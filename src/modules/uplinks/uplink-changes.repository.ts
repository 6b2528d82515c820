import { and, asc, eq, gt, inArray, lte, max } from "drizzle-orm";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { MainDatabase } from "../../platform/database.ts";
import { alarmEvents, alarms } from "../alarms/alarms.tables.ts";
import { attributeChanges, attributes } from "../attributes/attributes.tables.ts";
import { devices } from "../devices/devices.tables.ts";
import { uplinkDeviceChanges } from "./uplinks.tables.ts";

/** What changed beside telemetry, in the order in which it was written. */
export function createUplinkChangesRepository({ orm }: MainDatabase) {
  return {
    devices: (tenantId: TenantId, deviceIds: readonly string[]) =>
      orm
        .select({
          deviceId: devices.deviceId,
          name: devices.name,
          deviceType: devices.deviceType,
          tags: devices.tags,
        })
        .from(devices)
        .where(and(eq(devices.tenantId, tenantId), inArray(devices.deviceId, [...deviceIds])))
        .all(),
    attributeChanges: (tenantId: TenantId, after: number, limit: number) =>
      orm
        .select({
          number: attributeChanges.changeId,
          deviceId: attributeChanges.deviceId,
          scope: attributeChanges.scope,
          key: attributeChanges.key,
          value: attributeChanges.value,
          at: attributeChanges.at,
        })
        .from(attributeChanges)
        .innerJoin(devices, eq(devices.deviceId, attributeChanges.deviceId))
        .where(and(eq(devices.tenantId, tenantId), gt(attributeChanges.changeId, after)))
        .orderBy(asc(attributeChanges.changeId))
        .limit(limit)
        .all(),
    /** Present attributes of the next devices behind `after`, by the id of the device. */
    attributesBehind(tenantId: TenantId, after: string, limit: number) {
      const next = orm
        .select({ deviceId: devices.deviceId })
        .from(devices)
        .where(and(eq(devices.tenantId, tenantId), gt(devices.deviceId, after)))
        .orderBy(asc(devices.deviceId))
        .limit(limit)
        .all()
        .map(({ deviceId }) => deviceId);
      const rows = orm.select().from(attributes).where(inArray(attributes.deviceId, next)).all();
      return { rows, last: next[next.length - 1] };
    },
    alarmEvents: (tenantId: TenantId, after: number, limit: number) =>
      orm
        .select({
          number: alarmEvents.sequence,
          eventId: alarmEvents.eventId,
          event: alarmEvents.eventType,
          at: alarmEvents.createdAt,
          alarmId: alarms.alarmId,
          deviceId: alarms.deviceId,
          type: alarms.alarmType,
          severity: alarms.severity,
          status: alarms.status,
          message: alarms.message,
        })
        .from(alarmEvents)
        .innerJoin(alarms, eq(alarms.alarmId, alarmEvents.alarmId))
        .where(and(eq(alarms.tenantId, tenantId), gt(alarmEvents.sequence, after)))
        .orderBy(asc(alarmEvents.sequence))
        .limit(limit)
        .all(),
    deviceChanges: (tenantId: TenantId, after: number, limit: number) =>
      orm
        .select()
        .from(uplinkDeviceChanges)
        .where(and(eq(uplinkDeviceChanges.tenantId, tenantId), gt(uplinkDeviceChanges.seq, after)))
        .orderBy(asc(uplinkDeviceChanges.seq))
        .limit(limit)
        .all(),
    recordDevice: (row: Omit<typeof uplinkDeviceChanges.$inferInsert, "seq">): void =>
      void orm.insert(uplinkDeviceChanges).values(row).run(),
    /** Deletes the changes of devices that all uplinks of a tenant have sent. */
    forgetDevices: (tenantId: TenantId, until: number): void =>
      void orm
        .delete(uplinkDeviceChanges)
        .where(and(eq(uplinkDeviceChanges.tenantId, tenantId), lte(uplinkDeviceChanges.seq, until)))
        .run(),
    /** Numbers of the newest changes of all. */
    newest() {
      const attribute = orm
        .select({ n: max(attributeChanges.changeId) })
        .from(attributeChanges)
        .get();
      const alarm = orm
        .select({ n: max(alarmEvents.sequence) })
        .from(alarmEvents)
        .get();
      const device = orm
        .select({ n: max(uplinkDeviceChanges.seq) })
        .from(uplinkDeviceChanges)
        .get();
      return { attributes: attribute?.n ?? 0, alarms: alarm?.n ?? 0, devices: device?.n ?? 0 };
    },
    /** Name and type of a device that is still there. */
    find: (deviceId: DeviceId) =>
      orm
        .select({ name: devices.name, deviceType: devices.deviceType })
        .from(devices)
        .where(eq(devices.deviceId, deviceId))
        .get(),
  };
}

export type UplinkChangesRepository = ReturnType<typeof createUplinkChangesRepository>;
