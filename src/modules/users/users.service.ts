import type { DeviceId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { UsersRepository } from "./users.repository.ts";
import type { User } from "./users.types.ts";

/** People of all tenants, as other modules need them. */
export interface UsersService {
  findById(userId: UserId): User | undefined;
  findByEmail(email: string): User | undefined;
  /** Devices granted to a user without global access. */
  listDevices(userId: UserId): DeviceId[];
  create(user: Omit<User, "userId">): User;
  grantDevice(userId: UserId, deviceId: DeviceId): void;
  count(): number;
}

export function createUsersService(deps: { repository: UsersRepository; clock: Clock }): UsersService {
  const { repository, clock } = deps;
  return {
    findById: (userId) => repository.findById(userId),
    findByEmail: (email) => repository.findByEmail(email),
    listDevices: (userId) => repository.listDevices(userId),
    create(given) {
      const user = { ...given, userId: newId<UserId>() };
      repository.insert(user, clock.now());
      return user;
    },
    grantDevice: (userId, deviceId) => repository.grantDevice(userId, deviceId),
    count: () => repository.count(),
  };
}
