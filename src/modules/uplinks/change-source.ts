import type { TenantId } from "../../lib/core/ids.ts";
import type { UplinkDevice } from "./target.types.ts";
import type { Changes, SentRecord } from "./uplink.protocol.ts";
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
    // Devices before their attributes and alarms, current states before later changes.
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
  readonly records: readonly SentRecord[];
  readonly last: number;
  readonly isAtEnd: boolean;
}

const none = (last: number): Found => ({ records: [], last, isAtEnd: true });

function attributeRecords(deps: Deps, uplink: Uplink): Found {
  const { tenantId, cursor } = uplink;
  const { rows, isAtEnd } = deps.changes.attributeChanges(tenantId, cursor.attributes, CHANGES_MAX);
  const records = withDevices(deps, uplink, rows, (row, device) => ({
    kind: "attributes",
    device,
    scope: row.scope,
    ts: row.changedAt,
    text: `{${JSON.stringify(row.key)}:${row.value ?? "null"}}`,
  }));
  return { ...found(rows, records, cursor.attributes), isAtEnd };
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
  const records = rows.flatMap((row): SentRecord[] => {
    const { deviceId, name, deviceType: type, change, at: ts } = row;
    // A deleted device can only be selected by its kept fields.
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
): { records: SentRecord[]; last: string | null } {
  const { rows, last } = deps.changes.attributesBehind(tenantId, after, SNAPSHOT_DEVICES_MAX);
  const byDevice = byId(deps, uplink, rows);
  /** Rows by device and scope. */
  const groups = Map.groupBy(rows, ({ deviceId, scope }) => `${deviceId} ${scope}`);
  const records = [...groups.values()].flatMap((group): SentRecord[] => {
    const [first] = group;
    const device = first && byDevice.get(first.deviceId);
    if (first === undefined || device === undefined) return [];
    const text = `{${group.map(({ key, value }) => `${JSON.stringify(key)}:${value}`).join()}}`;
    return [{ kind: "attributes", device, scope: first.scope, ts: first.updatedAt, text }];
  });
  return { records, last: last ?? null };
}

function withDevices<Row extends { readonly deviceId: string }>(
  deps: Deps,
  uplink: Uplink,
  rows: readonly Row[],
  toRecord: (row: Row, device: UplinkDevice) => SentRecord,
): SentRecord[] {
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
  records: readonly SentRecord[],
  before: number,
): Found => ({ records, last: rows[rows.length - 1]?.number ?? before, isAtEnd: rows.length < CHANGES_MAX });
