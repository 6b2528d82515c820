import { comparedId, type DeviceId, type TenantId, type UserId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { VisibleDevices } from "../../platform/database/is-among.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { UsersRepository } from "./users.repository.ts";
import { type NewUser, type User, userDefaults } from "./users.types.ts";

const nothing: ReadonlySet<DeviceId> = new Set();

/**
 * Creates the look-up of the devices that a user may see: all, or those granted by name or through an asset. Cached until a grant or a device of the
 * tenant changes, because every request and every message of a stream needs it.
 */
function createDeviceAccess(deps: {
  repository: Pick<UsersRepository, "findById" | "listVisibleDevices" | "forgetDevice">;
  events: EventBus<DomainEvents>;
}) {
  const { repository, events } = deps;
  /** Cached devices by user. */
  const kept = new Map<UserId, { readonly tenantId: TenantId | null; readonly devices: VisibleDevices }>();

  function forgetTenant(tenantId: TenantId): void {
    for (const [userId, existing] of kept) if (existing.tenantId === tenantId) kept.delete(userId);
  }

  events.on("user.access", ({ userId }) => kept.delete(userId));
  events.on("device.created", ({ tenantId }) => forgetTenant(tenantId));
  events.on("device.updated", ({ tenantId }) => forgetTenant(tenantId)); // it may belong to another asset now
  // The cached answers keep the deleted device, so that users with access are told of the deletion.
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

/** Creates the access to users of all tenants, for other modules. */
export function createUsersService(deps: {
  repository: UsersRepository;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { repository, clock, events } = deps;
  const access = createDeviceAccess({ repository, events });
  // Signing in proves access to the email address, or to the password from an administrator.
  events.on("user.signed-in", ({ userId }) => repository.confirm(userId, clock.now()));
  return {
    findById: (userId: UserId): User | undefined => repository.findById(userId),
    findByEmail: (email: string): User | undefined => repository.findByEmail(email),
    listOf: (tenantId: TenantId): User[] =>
      repository.list(tenantId, { limit: Number.MAX_SAFE_INTEGER, offset: 0 }).items,
    countOf: (tenantId: TenantId): number => repository.countOf(tenantId),
    /** Returns the devices that the user may currently see; cheap enough for every message of a stream. */
    visibleDevices: access.of,
    create(newUser: NewUser): User {
      const now = clock.now();
      const user = { ...userDefaults, ...newUser, userId: newId<UserId>(), createdAt: now, updatedAt: now };
      repository.insert(user);
      return user;
    },
    grantDevice(userId: UserId, deviceId: DeviceId): void {
      repository.grantDevice(userId, deviceId);
      events.emit("user.access", { userId });
    },
    /** Withdraws a device granted by name. Does nothing for an unknown user id. */
    withdrawDevice(id: string, deviceId: DeviceId): void {
      const userId = comparedId<UserId>(id);
      repository.withdrawDevice(userId, deviceId);
      events.emit("user.access", { userId });
    },
    count: (): number => repository.count(),
  };
}

export type UsersService = ReturnType<typeof createUsersService>;
