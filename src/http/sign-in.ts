import { Elysia } from "elysia";
import { credentialsRoutes } from "../modules/devices/credentials.routes.ts";
import type { CredentialsService } from "../modules/devices/credentials.service.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { AuthPlugin } from "../modules/identity/identity.plugin.ts";

export interface SignInDeps {
  readonly credentials: CredentialsService;
}

/** Routes about how devices sign in. */
export const signInRoutes = ({
  credentials,
  devices,
  auth,
}: SignInDeps & { devices: DevicesService; auth: AuthPlugin }) =>
  new Elysia().use(credentialsRoutes({ credentials, devices, auth }));
