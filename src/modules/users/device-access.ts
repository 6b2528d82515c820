import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { UsersRepository } from "./users.repository.ts";

export type VisibleDevices = "all" | ReadonlySet<DeviceId>;

const nothing: ReadonlySet<DeviceId> = new Set();

/**
 * The devices that a user may see: all, or those granted by name or through an asset. Asked on every request and for every
 * message of a stream, so the answer is kept until a grant or a device of the tenant changes.
 */
export function createDeviceAccess(deps: {
  repository: Pick<UsersRepository, "findById" | "listVisibleDevices" | "forgetDevice">;
  events: EventBus<DomainEvents>;
}) {
  const { repository, events } = deps;
  /** Answers by user. */
  const kept = new Map<UserId, { readonly tenantId: TenantId | null; readonly devices: VisibleDevices }>();

  function forgetTenant(tenantId: TenantId): void {
    for (const [userId, existing] of kept) if (existing.tenantId === tenantId) kept.delete(userId);
  }

  events.on("user.access", ({ userId }) => kept.delete(userId));
  events.on("device.created", ({ tenantId }) => forgetTenant(tenantId));
  events.on("device.updated", ({ tenantId }) => forgetTenant(tenantId)); // it may belong to another asset now
  // The answers keep the deleted device: who could see it is still told of its end.
  events.on("device.deleted", ({ deviceId }) => repository.forgetDevice(deviceId));

  function find(userId: UserId): VisibleDevices {
    const user = repository.findById(userId);
    const isMember = user !== undefined && user.tenantId !== null && user.status === "ACTIVE";
    if (!isMember) return nothing;
    const devices = user.hasGlobalDeviceAccess ? "all" : new Set(repository.listVisibleDevices(user));
    kept.set(userId, { tenantId: user.tenantId, devices });
    return devices;
  }

  return { of: (userId: UserId): VisibleDevices => kept.get(userId)?.devices ?? find(userId) };
}
