import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import { createDeviceAccess } from "./device-access.ts";
import type { UsersRepository } from "./users.repository.ts";
import { type NewUser, type User, userDefaults } from "./users.types.ts";

/** People of all tenants, as other modules need them. */
export function createUsersService(deps: {
  repository: UsersRepository;
  clock: Clock;
  events: EventBus<DomainEvents>;
}) {
  const { repository, clock, events } = deps;
  const access = createDeviceAccess({ repository, events });
  // Whoever signs in has the address, or the password that an administrator handed over.
  events.on("user.signed-in", ({ userId }) => repository.confirm(userId, clock.now()));
  return {
    findById: (userId: UserId): User | undefined => repository.findById(userId),
    findByEmail: (email: string): User | undefined => repository.findByEmail(email),
    listOf: (tenantId: TenantId): User[] =>
      repository.list(tenantId, { limit: Number.MAX_SAFE_INTEGER, offset: 0 }).items,
    countOf: (tenantId: TenantId): number => repository.countOf(tenantId),
    /** The devices that the user may see now; cheap enough to be asked for every message of a stream. */
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
    /** Takes back a device that was granted by name. Does nothing for an id that is no user's. */
    withdrawDevice(userId: string, deviceId: DeviceId): void {
      repository.withdrawDevice(userId, deviceId);
      events.emit("user.access", { userId: userId as UserId }); // an unknown id is nobody's
    },
    count: (): number => repository.count(),
  };
}

export type UsersService = ReturnType<typeof createUsersService>;
