import { Elysia } from "elysia";
import { invalid } from "../../lib/core/domain-error.ts";
import { decodeBody } from "../../lib/json/body.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { peerOf } from "../api/request-peer.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { claimResponse, provisioningBody, setProvisioningBody } from "./provisioning.schemas.ts";
import type { ProvisioningService } from "./provisioning.service.ts";

const BODY_BYTES_MAX = 128 * 1024;

/** Routes for the provisioning settings of profiles. */
export const provisioningRoutes = (deps: { provisioning: ProvisioningService; auth: AuthPlugin }) => {
  const { provisioning, auth } = deps;
  const read = ({ principal }: AuditContext, id: string) => ({ mode: provisioning.get(principal, id).mode });
  return new Elysia({ prefix: "/api/device-profiles/:profileId/provisioning", tags: ["device profiles"] })
    .use(auth)
    .get("", ({ principal, params }) => provisioning.get(principal, params.profileId), {
      auth: "profiles:write",
      response: { 200: provisioningBody },
      detail: {
        operationId: "getDeviceProfileProvisioning",
        summary: "Get the provisioning settings of a profile",
        description: "The response has key and secret. It needs the permission to change profiles.",
        errors: ALL_DEVICES_ONLY,
      },
    })
    .put("", ({ principal, params, body }) => provisioning.setMode(principal, params.profileId, body.mode), {
      auth: "profiles:write",
      audit: { action: "profile.set_provisioning", target: "profile", read },
      body: setProvisioningBody,
      response: { 200: provisioningBody },
      detail: {
        operationId: "setDeviceProfileProvisioning",
        summary: "Change the provisioning settings of a profile",
        description: "The first call creates key and secret.",
        errors: ALL_DEVICES_ONLY,
        example: { mode: "ALLOW_NEW" },
      },
    })
    .post("/rotate", ({ principal, params }) => provisioning.rotate(principal, params.profileId), {
      auth: "profiles:write",
      audit: { action: "profile.rotate_provisioning", target: "profile", read },
      response: { 200: provisioningBody },
      detail: {
        operationId: "rotateProvisioningSecret",
        summary: "Create a new provisioning key and secret",
        description:
          "The old ones stop working immediately. Devices that have claimed keep their credentials.",
      },
    });
};

export const reopenRoutes = (deps: { provisioning: ProvisioningService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/devices/:deviceId/claim", tags: ["devices"] }).use(deps.auth).delete(
    "",
    ({ principal, params }) => {
      deps.provisioning.reopen(principal, params.deviceId);
      return { success: true };
    },
    {
      auth: "devices:write",
      audit: { action: "device.reopen_claim", target: "device" },
      response: { 200: successBody },
      detail: {
        operationId: "allowDeviceToClaimAgain",
        summary: "Allow a device to claim again",
        description:
          "For a device that lost its credentials, in a profile with CHECK_PRE_PROVISIONED. A device that has already connected stays refused.",
      },
    },
  );

/** Creates the route by which new devices claim credentials over HTTP. */
export const claimRoutes = (deps: { provisioning: ProvisioningService }) =>
  new Elysia({ prefix: "/api/v1", tags: ["device API"] }).post(
    "/provision",
    async ({ request, server }) => {
      const refusal = () => invalid("body.too_large", { max: BODY_BYTES_MAX });
      const bytes = await readBytes(request, BODY_BYTES_MAX, refusal);
      const isCbor = request.headers.get("content-type")?.startsWith("application/cbor") ?? false;
      const body = decodeBody(bytes, isCbor ? "CBOR" : "JSON");
      return deps.provisioning.claim(body, peerOf(request, server));
    },
    {
      parse: "none",
      response: { 200: claimResponse },
      detail: {
        operationId: "provisionDevice",
        summary: "Claim credentials as a new device",
        description:
          "`{deviceName, provisionDeviceKey, provisionDeviceSecret}`, JSON or CBOR, with `credentialsType` (ACCESS_TOKEN with `token`, MQTT_BASIC with `username`, `clientId`, `password`, X509_CERTIFICATE with the certificate as `hash`), `deviceType` and `gateway`. `status` is the result: NOT_FOUND for a wrong key or secret, FAILURE for a name that is taken or not expected. Each device may claim once.",
        errors: {
          400: "The body is not well-formed.",
          429: "Too many claims came from the address. `Retry-After` says when to try again.",
        },
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object" as const },
              example: {
                deviceName: "Pump 7",
                provisionDeviceKey: "…",
                provisionDeviceSecret: "…",
              },
            },
          },
        },
      },
    },
  );
