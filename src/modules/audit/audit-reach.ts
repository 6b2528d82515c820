import type { DeviceId } from "../../lib/ids.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { AuditEntry, AuditScope } from "./audit.types.ts";

/** What says who sees which devices, or names devices that it acts on. */
const ofReach: ReadonlySet<string | null> = new Set(["user", "api_key", "job"]);

function within(text: string | null, devices: ReadonlySet<DeviceId>): string | null {
  const change: unknown = text === null ? null : JSON.parse(text);
  if (!isJsonObject(change)) return text;
  // Which assets the reader's own devices belong to, the log does not know.
  const { assetIds: _, deviceIds, ...rest } = change;
  if (!Array.isArray(deviceIds)) return JSON.stringify(rest);
  return JSON.stringify({ ...rest, deviceIds: deviceIds.filter((id) => devices.has(id)) });
}

/** Without the devices and assets that somebody was granted and the reader may not see. */
export function withinReach(entry: AuditEntry, { devices }: AuditScope): AuditEntry {
  if (devices === "all" || !ofReach.has(entry.targetType)) return entry;
  return { ...entry, before: within(entry.before, devices), after: within(entry.after, devices) };
}
