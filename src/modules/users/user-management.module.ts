import type { UserId } from "../../lib/core/ids.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { MailService } from "../mail/mail.service.ts";
import type { Core } from "../module.types.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { createUserManagement } from "./user-management.service.ts";
import { createUserRegistry } from "./user-registry.ts";
import type { UsersRepository } from "./users.repository.ts";
import { usersRoutes } from "./users.routes.ts";

type Accounts = Parameters<typeof createUserManagement>[0]["accounts"] &
  Parameters<typeof createUserRegistry>[0]["accounts"];

/** Creates the management of users by administrators; called by `identity.module.ts` with the users' accounts. */
export function createUserManagementModule(
  { database, clock, events }: Core,
  deps: {
    usersRepository: UsersRepository;
    tenants: TenantsService;
    plans: PlansService;
    accounts: Accounts;
    endSessions: (userId: UserId) => void;
    mail: MailService;
    takeUserMails: Parameters<typeof createUserManagement>[0]["takeUserMails"];
    mailOriginFor: (request: Request) => string;
  },
) {
  const { usersRepository: repository, tenants, plans, accounts, endSessions, mail, mailOriginFor } = deps;
  const registry = createUserRegistry({
    repository,
    tenants,
    plans,
    accounts,
    endSessions,
    transact: database.transact,
    clock,
    events,
  });
  const management = createUserManagement({
    repository,
    registry,
    tenants,
    accounts,
    endSessions,
    mail,
    clock,
    takeUserMails: deps.takeUserMails,
  });
  return {
    registry,
    changeAddress: management.changeAddress,
    routes: (auth: AuthPlugin) => [usersRoutes({ management, mailOriginFor, auth })],
  };
}
