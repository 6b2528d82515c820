import { Elysia } from "elysia";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { keyDefaultsBody } from "./key-metadata.schemas.ts";
import type { KeyMetadataService } from "./key-metadata.service.ts";

const tenantOf = ({ principal }: AuditContext): string => principal.tenantId;

export const keyMetadataRoutes = (deps: { keys: KeyMetadataService; auth: AuthPlugin }) => {
  const { keys } = deps;
  const read = ({ principal }: AuditContext) => ({ keyMetadata: keys.defaults(principal.tenantId) });
  return new Elysia({ prefix: "/api/key-metadata", tags: ["device profiles"] })
    .use(deps.auth)
    .get("/defaults", ({ principal }) => ({ keyMetadata: keys.defaults(principal.tenantId) }), {
      auth: "profiles:read",
      response: { 200: keyDefaultsBody },
      detail: {
        operationId: "getKeyMetadataDefaults",
        summary: "Read the default metadata of telemetry keys",
        description: "The defaults apply to keys for which the device's profile has no entry.",
      },
    })
    .put(
      "/defaults",
      ({ principal, body }) => ({ keyMetadata: keys.setDefaults(principal, body.keyMetadata) }),
      {
        auth: "profiles:write",
        audit: { action: "key_metadata.set_defaults", target: "key_metadata", id: tenantOf, read },
        body: keyDefaultsBody,
        response: { 200: keyDefaultsBody },
        detail: {
          operationId: "setKeyMetadataDefaults",
          summary: "Replace the default metadata of telemetry keys",
          errors: ALL_DEVICES_ONLY,
          example: { keyMetadata: [{ key: "battery", unit: "%", decimals: 0, limits: { low: 20 } }] },
        },
      },
    );
};
