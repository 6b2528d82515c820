import type { DeviceId } from "../../lib/ids.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { AuditEntry, AuditScope } from "./audit.types.ts";

/** Ids as the gateway makes them, wherever they stand in a text. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Field that no limited reader sees: the log does not know the assets of the reader's devices. */
const ASSETS = "assetIds";
/** Fields that name devices, also ones that are deleted by now. */
const ofDevices = /device(?:Ids?|s)$/i;
const HIDDEN = "(hidden)";
/** Removed from what holds it. */
const REMOVED = Symbol("removed");

/** Removes fields that name devices which the reader may not see. */
function within(
  value: unknown,
  field: string,
  isHidden: (id: string, isDeviceField: boolean) => boolean,
): unknown {
  if (field === ASSETS) return REMOVED;
  if (typeof value === "string") {
    const isDeviceField = ofDevices.test(field);
    const shown = value.replace(ID, (id) => (isHidden(id, isDeviceField) ? HIDDEN : id));
    return shown === HIDDEN ? REMOVED : shown;
  }
  if (Array.isArray(value))
    return value.map((item) => within(item, field, isHidden)).filter((item) => item !== REMOVED);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value)
    .filter(([name]) => within(name, "", isHidden) !== REMOVED)
    .map(([name, member]) => [name, within(member, name, isHidden)] as const)
    .filter(([, member]) => member !== REMOVED);
  return Object.fromEntries(members);
}

/** Removes the devices and assets of an entry that the reader may not see. */
export function withinReach(entry: AuditEntry, { devices, isDevice }: AuditScope): AuditEntry {
  if (devices === "all") return entry;
  const isHidden = (id: string, isDeviceField: boolean) =>
    !devices.has(id as DeviceId) && (isDeviceField || isDevice(id));
  const read = (text: string | null) => {
    if (text === null) return null;
    const shown = within(JSON.parse(text), "", isHidden);
    return shown === REMOVED ? null : JSON.stringify(shown);
  };
  const { targetId } = entry;
  return {
    ...entry,
    targetId: targetId !== null && within(targetId, "", isHidden) === REMOVED ? null : targetId,
    before: read(entry.before),
    after: read(entry.after),
  };
}
