import { and, asc, eq, gt, inArray, lte, max, sql } from "drizzle-orm";
import { comparedId, type DeviceId, type TenantId } from "../../lib/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { parsedTogether } from "../../platform/database/parsed-together.ts";
import { alarmEvents, alarms } from "../alarms/alarms.tables.ts";
import { attributeChanges, attributes } from "../attributes/attributes.tables.ts";
import { devices } from "../devices/devices.tables.ts";
import { uplinkDeviceChanges } from "./uplinks.tables.ts";

/** Reads devices, and changes other than telemetry in the order of writing. */
export class UplinkChangesRepository {
  readonly #orm: MainDatabase["orm"];

  constructor({ orm }: Pick<MainDatabase, "orm">) {
    this.#orm = orm;
  }

  devices(tenantId: TenantId, deviceIds: readonly string[]) {
    const { deviceId, name, deviceType, tags } = devices;
    return this.#orm
      .select({ deviceId, name, deviceType, tags })
      .from(devices)
      .where(
        and(eq(devices.tenantId, tenantId), inArray(devices.deviceId, deviceIds.map(comparedId<DeviceId>))),
      )
      .all();
  }

  /** Returns the next changes after `after`, at most `limit` and as many as have few bytes, but at least one. */
  attributeChanges(tenantId: TenantId, after: number, limit: number) {
    const { changeId: number, deviceId, scope, key, value, at: changedAt } = attributeChanges;
    const isNext = and(eq(attributeChanges.tenantId, tenantId), gt(number, after));
    const heads = this.#orm
      .select({ number, bytes: sql<number>`coalesce(octet_length(${value}), 0)` })
      .from(attributeChanges)
      .where(isNext)
      .orderBy(asc(number))
      .limit(limit)
      .all();
    const fitting = parsedTogether(heads);
    const end = fitting.at(-1)?.number ?? after;
    const rows = this.#orm
      .select({ number, deviceId, scope, key, value, changedAt })
      .from(attributeChanges)
      .where(and(isNext, lte(number, end)))
      .orderBy(asc(number))
      .all();
    return { rows, isAtEnd: heads.length < limit && fitting.length === heads.length };
  }

  /** Returns the current attributes of the next devices after `after`, by device id: as many devices as have few bytes, but at least one. */
  attributesBehind(tenantId: TenantId, after: string, limit: number) {
    const bytes = sql<number>`coalesce((SELECT sum(octet_length(value)) FROM attributes a WHERE a.device_id = devices.device_id), 0)`;
    const next = this.#orm
      .select({ deviceId: devices.deviceId, bytes })
      .from(devices)
      .where(and(eq(devices.tenantId, tenantId), gt(devices.deviceId, comparedId(after))))
      .orderBy(asc(devices.deviceId))
      .limit(limit)
      .all();
    const ids = parsedTogether(next).map(({ deviceId }) => deviceId);
    const rows = this.#orm.select().from(attributes).where(inArray(attributes.deviceId, ids)).all();
    return { rows, last: ids.at(-1) };
  }

  alarmEvents(tenantId: TenantId, after: number, limit: number) {
    const { sequence: number, eventId, eventType: event, createdAt: changedAt } = alarmEvents;
    const { alarmId, deviceId, alarmType: type, severity, status, message } = alarms;
    return this.#orm
      .select({ number, eventId, event, changedAt, alarmId, deviceId, type, severity, status, message })
      .from(alarmEvents)
      .innerJoin(alarms, eq(alarms.alarmId, alarmEvents.alarmId))
      .where(and(eq(alarmEvents.tenantId, tenantId), gt(alarmEvents.sequence, after)))
      .orderBy(asc(alarmEvents.sequence))
      .limit(limit)
      .all();
  }

  deviceChanges(tenantId: TenantId, after: number, limit: number) {
    return this.#orm
      .select()
      .from(uplinkDeviceChanges)
      .where(and(eq(uplinkDeviceChanges.tenantId, tenantId), gt(uplinkDeviceChanges.seq, after)))
      .orderBy(asc(uplinkDeviceChanges.seq))
      .limit(limit)
      .all();
  }

  recordDevice(row: Omit<typeof uplinkDeviceChanges.$inferInsert, "seq">): void {
    this.#orm.insert(uplinkDeviceChanges).values(row).run();
  }

  /** Deletes the changes of devices up to a number, after all uplinks of the tenant have sent them. */
  forgetDevices(tenantId: TenantId, until: number): void {
    this.#orm
      .delete(uplinkDeviceChanges)
      .where(and(eq(uplinkDeviceChanges.tenantId, tenantId), lte(uplinkDeviceChanges.seq, until)))
      .run();
  }

  /** Returns the numbers of the last changes of all tenants. */
  newest(): { attributes: number; alarms: number; devices: number } {
    const attribute = this.#orm
      .select({ n: max(attributeChanges.changeId) })
      .from(attributeChanges)
      .get();
    const alarm = this.#orm
      .select({ n: max(alarmEvents.sequence) })
      .from(alarmEvents)
      .get();
    const device = this.#orm
      .select({ n: max(uplinkDeviceChanges.seq) })
      .from(uplinkDeviceChanges)
      .get();
    return { attributes: attribute?.n ?? 0, alarms: alarm?.n ?? 0, devices: device?.n ?? 0 };
  }

  /** Returns name and type of an existing device. */
  find(deviceId: DeviceId) {
    const { name, deviceType } = devices;
    return this.#orm.select({ name, deviceType }).from(devices).where(eq(devices.deviceId, deviceId)).get();
  }
}
