import { Elysia } from "elysia";
import { omit } from "../../lib/core/omit.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { FOREIGN_TOKENS_RULE } from "./chosen-tokens.ts";
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
    const view = omit(credentials.get(principal, id), "token");
    return { ...view, name: devices.get(principal, id).name };
  };
  return new Elysia({ prefix: "/api/devices/:deviceId/credentials", tags: ["devices"] })
    .use(deps.auth)
    .get("", ({ principal, params }) => credentials.get(principal, params.deviceId), {
      auth: "devices:write",
      response: { 200: credentialsDetail },
      detail: {
        operationId: "getDeviceCredentials",
        summary: "Get the credentials of a device",
        description:
          "The response has the access token, or names and fingerprint. Passwords are stored hashed and never shown.",
      },
    })
    .put("", ({ principal, params, body }) => credentials.set(principal, params.deviceId, body), {
      auth: "devices:write",
      audit: { action: "device.set_credentials", target: "device", read },
      body: setCredentialsBody,
      response: { 200: credentialsDetail },
      detail: {
        operationId: "setDeviceCredentials",
        summary: "Change the credentials of a device",
        description:
          "A device has one type of credentials: an access token, a user name (or client id) with a password, or a client certificate. The previous credentials and the device's sessions end immediately. A generated password is shown only once.",
        errors: {
          ...FOREIGN_TOKENS_RULE,
          400: "The certificate cannot be read, the password is weak or reserved, or a user name or client id is missing or reserved; the message says which.",
          409: "Another device has the same certificate, or the same user name and client id.",
        },
        example: { type: "MQTT_BASIC", username: "press-1", password: "correct horse battery staple" },
      },
    })
    .post("/rotate", ({ principal, params }) => credentials.rotate(principal, params.deviceId), {
      auth: "devices:write",
      audit: { action: "device.rotate_token", target: "device", read },
      response: { 200: credentialsDetail },
      detail: {
        operationId: "rotateDeviceCredentials",
        summary: "Create a new secret of the same type",
        description:
          "Creates a new access token or password. The old one and the device's sessions end immediately.",
        errors: { 409: "The device signs in with a certificate. Set a new certificate instead." },
      },
    });
};
