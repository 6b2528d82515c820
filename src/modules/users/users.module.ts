import type { Core } from "../module.types.ts";
import { createUsersRepository } from "./users.repository.ts";
import { createUsersService } from "./users.service.ts";

/** Users as the other modules know them; `identity.module.ts` adds how they sign in and who manages them. */
export function createUsersModule({ database, clock, events }: Core) {
  const repository = createUsersRepository(database);
  return { users: createUsersService({ repository, clock, events }), usersRepository: repository };
}

export type UsersModule = ReturnType<typeof createUsersModule>;
