import { Elysia } from "elysia";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { credentialsDetail, setCredentialsBody } from "./credentials.schemas.ts";
import type { CredentialsService } from "./credentials.service.ts";
import type { DevicesService } from "./devices.service.ts";

export const credentialsRoutes = (deps: {
  credentials: CredentialsService;
  devices: Pick<DevicesService, "get">;
  auth: AuthPlugin;
}) => {
  const { credentials, devices } = deps;
  const read = ({ principal }: AuditContext, id: string) => {
    const { token: _, ...view } = credentials.get(principal, id);
    return { ...view, name: devices.get(principal, id).name };
  };
  return new Elysia({ prefix: "/api/devices/:deviceId/credentials", tags: ["devices"] })
    .use(deps.auth)
    .get("", ({ principal, params }) => credentials.get(principal, params.deviceId), {
      auth: "devices:write",
      response: { 200: credentialsDetail },
      detail: {
        summary: "What the device signs in with",
        description: "Its access token, or names and fingerprint: passwords are kept hashed and not shown.",
      },
    })
    .put("", ({ principal, params, body }) => credentials.set(principal, params.deviceId, body), {
      auth: "devices:write",
      audit: { action: "device.set_credentials", target: "device", read },
      body: setCredentialsBody,
      response: { 200: credentialsDetail },
      detail: {
        summary: "Let the device sign in otherwise",
        description:
          "By access token, by user name (or client id) and password, or by client certificate: by one of them, never two. What held before ends at once, and with it the device's sessions. A generated password is shown this once. 400 for a certificate that cannot be read, 409 when another device has the same.",
      },
    })
    .post("/rotate", ({ principal, params }) => credentials.rotate(principal, params.deviceId), {
      auth: "devices:write",
      audit: { action: "device.rotate_token", target: "device", read },
      response: { 200: credentialsDetail },
      detail: {
        summary: "Give the device a new secret of the same kind",
        description:
          "A new access token, or a new password. The old one ends at once, and with it the device's sessions. 409 for a certificate: set the new one instead.",
      },
    });
};
