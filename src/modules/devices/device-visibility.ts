import type { DeviceId } from "../../lib/ids.ts";
import type { Principal } from "../users/users.types.ts";
import { isVisible } from "./device-building.ts";
import { deviceNotFound } from "./devices.errors.ts";
import type { MembershipRepository } from "./membership.repository.ts";

/** Which devices a caller may see. */
export function createDeviceVisibility(repository: MembershipRepository) {
  /** Returns all ids given, or throws `not_found` if the caller may not see one of them. */
  function ensureAllVisible(principal: Principal, deviceIds: readonly string[]): DeviceId[] {
    const ids = deviceIds as readonly DeviceId[]; // a wrong id is simply not found
    const hidden = ids.find((id) => !isVisible(principal, id));
    if (hidden !== undefined) throw deviceNotFound(hidden);
    if (!repository.hasAll(principal.tenantId, ids))
      throw deviceNotFound(ids.find((id) => !repository.hasAll(principal.tenantId, [id])) ?? "");
    return [...ids];
  }

  return {
    ensureAllVisible,
    ensureVisible(principal: Principal, deviceId: string): DeviceId {
      ensureAllVisible(principal, [deviceId]);
      return deviceId as DeviceId; // of a device, as was just found
    },
  };
}
