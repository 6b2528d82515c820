import { createClientPasswords } from "../../platform/secrets/client-passwords.ts";
import type { Core } from "../module.types.ts";
import { createLoginIdentitiesRepository } from "./login-identities.repository.ts";
import { LoginIdentitiesService } from "./login-identities.service.ts";

/** Creates the registry of names and certificates with which devices and MQTT clients sign in. */
export function createLoginIdentitiesModule({ database, clock }: Pick<Core, "database" | "clock">) {
  const passwords = createClientPasswords({ clock });
  const repository = createLoginIdentitiesRepository(database);
  return { passwords, logins: new LoginIdentitiesService({ repository, passwords, clock }) };
}

export type LoginIdentitiesModule = ReturnType<typeof createLoginIdentitiesModule>;
