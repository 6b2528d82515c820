import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { UsersModule } from "../users/users.module.ts";
import { createApiKeysRepository } from "./api-keys.repository.ts";
import { apiKeysRoutes } from "./api-keys.routes.ts";
import { createApiKeysService } from "./api-keys.service.ts";
import { KeyAuthenticator } from "./key-authenticator.ts";

/** Creates the API keys and their authentication. */
export function createApiKeysModule(
  { database, clock, events, log }: Core,
  modules: { readonly users: UsersModule },
) {
  const { users } = modules.users;
  const repository = createApiKeysRepository(database, clock);
  const keys = new KeyAuthenticator({
    repository,
    users,
    clock,
    events,
    log: log.child("api keys"),
    databaseState: database.state,
  });
  keys.subscribe();
  const apiKeys = createApiKeysService({
    repository,
    authenticator: keys,
    users,
    transact: database.transact,
    clock,
  });
  return {
    keys,
    routes: (auth: AuthPlugin) => [apiKeysRoutes({ apiKeys, auth })],
    parts: [{ name: "api keys", start: () => keys.start(), stop: () => keys.stop() }],
  };
}

export type ApiKeysModule = ReturnType<typeof createApiKeysModule>;
