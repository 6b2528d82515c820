import type { DeviceId, TenantId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import { createDeviceAccess, type VisibleDevices } from "./device-access.ts";
import type { UsersRepository } from "./users.repository.ts";
import { type NewUser, type User, userDefaults } from "./users.types.ts";

/** People of all tenants, as other modules need them. */
export interface UsersService {
  findById(userId: UserId): User | undefined;
  findByEmail(email: string): User | undefined;
  listOf(tenantId: TenantId): User[];
  countOf(tenantId: TenantId): number;
  /** The devices that the user may see now; cheap enough to be asked for every message of a stream. */
  visibleDevices(userId: UserId): VisibleDevices;
  create(user: NewUser): User;
  grantDevice(userId: UserId, deviceId: DeviceId): void;
  count(): number;
}

export function createUsersService(deps: {
  repository: UsersRepository;
  clock: Clock;
  events: EventBus<DomainEvents>;
}): UsersService {
  const { repository, clock, events } = deps;
  const access = createDeviceAccess({ repository, events });
  return {
    findById: (userId) => repository.findById(userId),
    findByEmail: (email) => repository.findByEmail(email),
    listOf: (tenantId) => repository.list(tenantId, { limit: Number.MAX_SAFE_INTEGER, offset: 0 }).items,
    countOf: (tenantId) => repository.countOf(tenantId),
    visibleDevices: access.of,
    create(given) {
      const now = clock.now();
      const user = { ...userDefaults, ...given, userId: newId<UserId>(), createdAt: now, updatedAt: now };
      repository.insert(user);
      return user;
    },
    grantDevice(userId, deviceId) {
      repository.grantDevice(userId, deviceId);
      events.emit("user.access", { userId });
    },
    count: () => repository.count(),
  };
}
