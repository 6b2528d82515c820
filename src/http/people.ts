import { Elysia } from "elysia";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import { authRoutes, setupRoutes } from "../modules/identity/identity.routes.ts";
import type { IdentityService } from "../modules/identity/identity.service.ts";
import type { IdentityProvider } from "../modules/identity/provider/identity-provider.ts";
import { providerRoutes } from "../modules/identity/provider/provider.routes.ts";
import type { SetupService } from "../modules/identity/setup.service.ts";

export interface PeopleDeps {
  readonly auth: AuthPlugin;
  readonly identity: IdentityService;
  readonly provider: IdentityProvider;
  readonly setup: SetupService;
}

/** Routes between a person and the data: set-up, sign-in, sessions. */
export const peopleRoutes = ({ auth, identity, provider, setup }: PeopleDeps) =>
  new Elysia()
    .use(authRoutes({ identity, auth }))
    .use(setupRoutes({ setup }))
    .use(providerRoutes({ provider, setupRequired: () => setup.isRequired() }));
