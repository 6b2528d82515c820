import type { TenantId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { AttributesRecord, UplinkDevice, UplinkRecord } from "./target.types.ts";
import type { Changes } from "./uplink.protocol.ts";
import type { UplinkChangesRepository } from "./uplink-changes.repository.ts";
import type { Uplink } from "./uplinks.resource.ts";

const CHANGES_MAX = 500;
const SNAPSHOT_DEVICES_MAX = 100;

interface Deps {
  readonly changes: Pick<
    UplinkChangesRepository,
    "attributeChanges" | "attributesBehind" | "alarmEvents" | "deviceChanges"
  >;
  /** Returns the devices; null for a device that is not selected. */
  readonly devicesOf: (uplink: Uplink, deviceIds: readonly string[]) => readonly (UplinkDevice | null)[];
}

/** Returns the next changes of attributes, alarms and devices that an uplink sends. */
export function nextChanges(deps: Deps, uplink: Uplink): Changes {
  const { cursor, options, tenantId } = uplink;
  const { content } = options;
  const lifecycle = content.devices ? deviceRecords(deps, uplink) : none(cursor.devices);
  const attributes = content.attributes ? attributeRecords(deps, uplink) : none(cursor.attributes);
  const alarms = content.alarms ? alarmRecords(deps, uplink) : none(cursor.alarms);
  const snapshot =
    content.attributes && cursor.snapshot !== null
      ? snapshotRecords(deps, { uplink, tenantId, after: cursor.snapshot })
      : { records: [], last: null };
  return {
    // Devices before what belongs to them, the present state before later changes of it.
    records: [...lifecycle.records, ...snapshot.records, ...attributes.records, ...alarms.records],
    cursor: {
      devices: lifecycle.last,
      attributes: attributes.last,
      alarms: alarms.last,
      snapshot: snapshot.last,
    },
    isAtEnd: [lifecycle, attributes, alarms].every(({ isAtEnd }) => isAtEnd) && snapshot.last === null,
  };
}

interface Found {
  readonly records: readonly UplinkRecord[];
  readonly last: number;
  readonly isAtEnd: boolean;
}

const none = (last: number): Found => ({ records: [], last, isAtEnd: true });

function attributeRecords(deps: Deps, uplink: Uplink): Found {
  const { tenantId, cursor } = uplink;
  const rows = deps.changes.attributeChanges(tenantId, cursor.attributes, CHANGES_MAX);
  const records = withDevices(deps, uplink, rows, (row, device) => ({
    kind: "attributes",
    device,
    scope: row.scope,
    ts: row.changedAt,
    values: { [row.key]: row.value === null ? null : (JSON.parse(row.value) as JsonValue) },
  }));
  return found(rows, records, cursor.attributes);
}

function alarmRecords(deps: Deps, uplink: Uplink): Found {
  const { tenantId, cursor } = uplink;
  const rows = deps.changes.alarmEvents(tenantId, cursor.alarms, CHANGES_MAX);
  const records = withDevices(deps, uplink, rows, (row, device) => {
    const { alarmId, type, severity, status, event, eventId, message, changedAt: ts } = row;
    return { kind: "alarm", device, alarmId, type, severity, status, event, eventId, message, ts };
  });
  return found(rows, records, cursor.alarms);
}

function deviceRecords(deps: Deps, uplink: Uplink): Found {
  const { tenantId, cursor, options } = uplink;
  const rows = deps.changes.deviceChanges(tenantId, cursor.devices, CHANGES_MAX);
  const byDevice = byId(deps, uplink, rows);
  const records = rows.flatMap((row): UplinkRecord[] => {
    const { deviceId, name, deviceType: type, change, at: ts } = row;
    // One that is gone can only be selected by what was kept of it.
    const gone: UplinkDevice = { deviceId, name, type, site: options.site, tags: options.tags };
    const { deviceIds } = options.selection;
    const mayBeSelected = deviceIds.length === 0 || deviceIds.includes(deviceId);
    const device = byDevice.get(deviceId) ?? (change === "deleted" && mayBeSelected ? gone : undefined);
    return device === undefined ? [] : [{ kind: "device", device, change, ts }];
  });
  return found(
    rows.map(({ seq }) => ({ number: seq })),
    records,
    cursor.devices,
  );
}

function snapshotRecords(
  deps: Deps,
  { uplink, tenantId, after }: { uplink: Uplink; tenantId: TenantId; after: string },
): { records: UplinkRecord[]; last: string | null } {
  const { rows, last } = deps.changes.attributesBehind(tenantId, after, SNAPSHOT_DEVICES_MAX);
  const byDevice = byId(deps, uplink, rows);
  /** Records by device and scope. */
  const records = new Map<string, AttributesRecord & { values: Record<string, JsonValue> }>();
  for (const { deviceId, scope, key, value, updatedAt } of rows) {
    const device = byDevice.get(deviceId);
    if (device === undefined) continue;
    const id = `${deviceId} ${scope}`;
    // Without a prototype: a key like `__proto__` is only a key.
    const values: Record<string, JsonValue> = Object.create(null);
    const record = records.get(id) ?? { kind: "attributes", device, scope, ts: updatedAt, values };
    record.values[key] = JSON.parse(value) as JsonValue; // written by the attributes module
    records.set(id, record);
  }
  return { records: [...records.values()], last: last ?? null };
}

function withDevices<Row extends { readonly deviceId: string }>(
  deps: Deps,
  uplink: Uplink,
  rows: readonly Row[],
  toRecord: (row: Row, device: UplinkDevice) => UplinkRecord,
): UplinkRecord[] {
  const byDevice = byId(deps, uplink, rows);
  return rows.flatMap((row) => {
    const device = byDevice.get(row.deviceId);
    return device === undefined ? [] : [toRecord(row, device)];
  });
}

function byId(
  { devicesOf }: Deps,
  uplink: Uplink,
  rows: ReadonlyArray<{ readonly deviceId: string }>,
): Map<string, UplinkDevice> {
  const ids = [...new Set(rows.map(({ deviceId }) => deviceId))];
  return new Map(
    devicesOf(uplink, ids).flatMap((device) => (device === null ? [] : [[device.deviceId, device]])),
  );
}

const found = (
  rows: ReadonlyArray<{ readonly number: number }>,
  records: readonly UplinkRecord[],
  before: number,
): Found => ({ records, last: rows[rows.length - 1]?.number ?? before, isAtEnd: rows.length < CHANGES_MAX });
