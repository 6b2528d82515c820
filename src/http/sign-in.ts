import { Elysia } from "elysia";
import { credentialsRoutes } from "../modules/devices/credentials.routes.ts";
import type { CredentialsService } from "../modules/devices/credentials.service.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";
import {
  claimRoutes,
  provisioningRoutes,
  reopenRoutes,
} from "../modules/provisioning/provisioning.routes.ts";
import type { ProvisioningService } from "../modules/provisioning/provisioning.service.ts";

export interface SignInDeps {
  readonly credentials: CredentialsService;
  readonly provisioning: ProvisioningService;
  readonly tokens: TokenSignIn;
}

/** Routes about how devices sign in. */
export const signInRoutes = ({
  credentials,
  provisioning,
  devices,
  auth,
}: Omit<SignInDeps, "tokens"> & { devices: DevicesService; auth: AuthPlugin }) =>
  new Elysia()
    .use(credentialsRoutes({ credentials, devices, auth }))
    .use(provisioningRoutes({ provisioning, auth }))
    .use(reopenRoutes({ provisioning, auth }))
    .use(claimRoutes({ provisioning }));
