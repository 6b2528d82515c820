import type { Core } from "../module.types.ts";
import { createUsersRepository } from "./users.repository.ts";
import { createUsersService } from "./users.service.ts";

/** Creates the users for other modules; `identity.module.ts` adds sign-in and user management. */
export function createUsersModule({ database, clock, events }: Core) {
  const repository = createUsersRepository(database);
  return { users: createUsersService({ repository, clock, events }), usersRepository: repository };
}

export type UsersModule = ReturnType<typeof createUsersModule>;
