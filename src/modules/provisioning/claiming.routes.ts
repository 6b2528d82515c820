import { Elysia } from "elysia";
import { tooLarge } from "../../lib/core/domain-error.ts";
import { decodeBody } from "../../lib/json/body.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { readBytes } from "../../lib/network/request-bytes.ts";
import { successBody } from "../api/wire.schemas.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { TokenSignIn } from "../devices/token-sign-in.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import { claimDeviceBody, claimedDevice, claimingBody, openClaimingBody } from "./claiming.schemas.ts";
import type { ClaimingService } from "./claiming.service.ts";
import type { ClaimingRequest } from "./claiming.types.ts";
import { parseClaimingRequest } from "./claiming-request.ts";

const BODY_BYTES_MAX = 4 * 1024;

const deviceNameOf = ({ body }: AuditContext) =>
  isJsonObject(body) ? { deviceName: body.deviceName } : undefined;

/** Creates the routes by which users claim and release devices. */
export const claimingRoutes = (deps: { claiming: ClaimingService; auth: AuthPlugin }) => {
  const { claiming, auth } = deps;
  const read = ({ principal }: AuditContext, id: string) => claiming.get(principal, id);
  return new Elysia({ prefix: "/api/devices", tags: ["devices"] })
    .use(auth)
    .post("/claim", ({ principal, body }) => claiming.claim(principal, body), {
      auth: "devices:write",
      audit: {
        action: "device.claim_ownership",
        target: "device",
        created: "deviceId",
        details: deviceNameOf,
      },
      body: claimDeviceBody,
      response: { 200: claimedDevice },
      detail: {
        operationId: "claimDevice",
        summary: "Claim a device with its secret key",
        description: "A user without access to all devices is granted the device.",
        errors: {
          403: "No device with this name waits for this key, or the caller is an API key without access to all devices.",
          409: "The device is already claimed.",
          429: "The user has made 30 attempts, or there were 10 for the device. `Retry-After` says when to try again.",
        },
        example: { deviceName: "Pump 7", secretKey: "7HK4-WQ2M" },
      },
    })
    .get("/:deviceId/claiming", ({ principal, params }) => claiming.get(principal, params.deviceId), {
      auth: "devices:read",
      response: { 200: claimingBody },
      detail: {
        operationId: "getClaiming",
        summary: "Get the claiming state of a device",
      },
    })
    .put(
      "/:deviceId/claiming",
      ({ principal, params, body }) => claiming.open(principal, params.deviceId, parseClaimingRequest(body)),
      {
        auth: "devices:write",
        audit: { action: "device.open_claiming", target: "device", read },
        body: openClaimingBody,
        response: { 200: claimingBody },
        detail: {
          operationId: "openClaiming",
          summary: "Let a device be claimed",
          description: "For devices that send no claiming request themselves.",
          errors: { 409: "The device is claimed." },
          example: { secretKey: "7HK4-WQ2M", durationMs: 86_400_000 },
        },
      },
    )
    .delete(
      "/:deviceId/claiming",
      ({ principal, params }) => {
        claiming.release(principal, params.deviceId);
        return { success: true };
      },
      {
        auth: "devices:write",
        audit: { action: "device.release", target: "device", read },
        response: { 200: successBody },
        detail: {
          operationId: "releaseDevice",
          summary: "Release a claimed device",
          description:
            "The device is taken from the user who claimed it, and can be claimed again after its next claiming request. It ends an open claiming request, too.",
        },
      },
    );
};

/** Creates the route by which a device makes itself claimable over HTTP. */
export const claimingRequestRoutes = (deps: {
  claiming: ClaimingService;
  tokens: Pick<TokenSignIn, "ensure">;
  ingest: Pick<IngestService, "admit" | "refuse">;
}) => {
  function claimOf(request: Request, device: IngestDevice, body: Uint8Array): ClaimingRequest {
    const isCbor = request.headers.get("content-type")?.startsWith("application/cbor") === true;
    try {
      return parseClaimingRequest(decodeBody(body, isCbor ? "CBOR" : "JSON"));
    } catch (error) {
      deps.ingest.refuse(device, error, { source: "http", where: "/claim", sample: body });
      throw error;
    }
  }

  return new Elysia({ prefix: "/api/v1/:deviceToken", tags: ["device API"] }).post(
    "/claim",
    async ({ params, request, server }) => {
      const device = deps.tokens.ensure({ params, request, server });
      const refusal = () => tooLarge("body.too_large", { max: BODY_BYTES_MAX });
      const body = await readBytes(request, BODY_BYTES_MAX, refusal);
      deps.ingest.admit(device, { source: "http", where: "/claim", body });
      await deps.claiming.request(device, claimOf(request, device, body));
      return { success: true };
    },
    {
      parse: "none",
      response: { 200: successBody },
      detail: {
        operationId: "requestClaiming",
        summary: "Let the device be claimed",
        description:
          "`secretKey` has 6 to 128 characters. The device can be claimed for `durationMs`, a day by default. A request of a device that is claimed already changes nothing.",
        errors: { 401: "The token is invalid." },
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { type: "object" as const },
              example: { secretKey: "7HK4-WQ2M", durationMs: 60_000 },
            },
            "application/cbor": { schema: { type: "string" as const, format: "binary" } },
          },
        },
      },
    },
  );
};
