import { TAGS_MAX } from "../../../lib/console/form-limits.ts";
import { invalid } from "../../../lib/core/domain-error.ts";
import type { DeviceId } from "../../../lib/core/ids.ts";
import { type BulkResult, forEachDevice } from "../../api/bulk-responses.ts";
import type { Principal } from "../../users/users.types.ts";
import type { DevicesService } from "../devices.service.ts";
import type { DeviceActivity } from "../devices.types.ts";

export interface BulkChanges {
  readonly addTags?: readonly string[];
  readonly removeTags?: readonly string[];
  readonly profileId?: string;
  readonly parentDeviceId?: string | null;
  readonly assetId?: string | null;
}

function tagsOf(tags: readonly string[], { addTags, removeTags = [] }: BulkChanges): string[] {
  const removed = new Set(removeTags);
  const changed = [...new Set([...tags.filter((tag) => !removed.has(tag)), ...(addTags ?? [])])];
  if (changed.length > TAGS_MAX.items) throw invalid("device.too_many_tags", { max: TAGS_MAX.items });
  return changed;
}

/** Changes and deletes many devices in one request. */
export function createBulkChanges(deps: {
  devices: Pick<DevicesService, "get" | "update" | "delete">;
  /** Returns the in-memory activity of a device, which is newer than the stored one. */
  activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
}) {
  const { devices } = deps;

  /** @throws DomainError for a device that was changed since its creation, or has connected or sent data */
  function ensureUntouched(principal: Principal, deviceId: string): void {
    const device = devices.get(principal, deviceId);
    const activity = deps.activityOf(device.deviceId) ?? device.activity;
    if (activity.lastActivityAt !== null || activity.lastConnectedAt !== null)
      throw invalid("device.was_active");
    if (device.updatedAt !== device.createdAt) throw invalid("device.was_changed");
  }

  return {
    update(principal: Principal, deviceIds: readonly string[], changes: BulkChanges): Promise<BulkResult> {
      const { addTags, removeTags, ...fields } = changes;
      const hasTags = addTags !== undefined || removeTags !== undefined;
      if (!hasTags && Object.keys(fields).length === 0) throw invalid("bulk.no_changes");
      return forEachDevice(deviceIds, (deviceId) => {
        const tags = hasTags ? { tags: tagsOf(devices.get(principal, deviceId).tags, changes) } : {};
        devices.update(principal, deviceId, { ...fields, ...tags });
      });
    },
    /** Deletes devices. With `isUntouchedOnly`, it fails for devices that were changed or active since they were created. */
    delete: (
      principal: Principal,
      deviceIds: readonly string[],
      isUntouchedOnly: boolean,
    ): Promise<BulkResult> =>
      forEachDevice(deviceIds, (deviceId) => {
        if (isUntouchedOnly) ensureUntouched(principal, deviceId);
        return devices.delete(principal, deviceId);
      }),
  };
}

export type BulkChangesService = ReturnType<typeof createBulkChanges>;
