import { Elysia, t } from "elysia";
import { invalid } from "../../../lib/core/domain-error.ts";
import { type BodyEncoding, decodeBody, encodingOfType } from "../../../lib/json/body.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { readBytes } from "../../../lib/network/request-bytes.ts";
import type { BodySpace } from "../../../platform/load/body-space.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { peerOf } from "../../api/request-peer.ts";
import type { WebhookKind } from "../integrations.wire.ts";
import type { WebhooksService } from "./webhooks.service.ts";

/** Max. bytes of a body; larger amounts are sent in batches through the device API. */
const BODY_BYTES_MAX = 256 * 1024;
const PUSH_URL_MAX = 1_024;
const NAME_MAX = 256;

function encodingOf(request: Request): BodyEncoding {
  const encoding = encodingOfType(request.headers.get("content-type"));
  if (encoding === undefined) throw invalid("webhook.type_unknown");
  return encoding;
}

/** Returns the shared secret from either of its headers. */
function secretOf({ headers }: Request): string | undefined {
  const own = headers.get("x-webhook-secret");
  if (own !== null && own !== "") return own;
  return /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Returns the sender that a body names, which is used only if nothing else names the sender. The adapter parses the body again. */
function senderIn(bytes: Uint8Array, encoding: BodyEncoding) {
  const body = decodeBody(bytes, encoding);
  const nameIn = (field: "deviceToken" | "tenantId") => {
    const name = isJsonObject(body) ? body[field] : undefined;
    return typeof name === "string" && name !== "" && name.length <= NAME_MAX ? name : undefined;
  };
  return { deviceToken: nameIn("deviceToken"), tenantId: nameIn("tenantId") };
}

const query = t.Object({
  tenantId: t.Optional(t.String({ maxLength: 64, description: "the tenant, if no header names it" })),
  event: t.Optional(t.String({ maxLength: 32, description: "the event of ChirpStack; optional" })),
});
/** Documented here and read by `receive`: a header schema would copy all headers of each message. */
const headers = [
  {
    name: "x-tenant-id",
    in: "header" as const,
    required: true, // the contract has it so, and the service does without
    description: "the tenant's id, here or as query tenantId",
    schema: { type: "string" as const },
  },
  {
    name: "x-webhook-secret",
    in: "header" as const,
    required: false,
    description: "the tenant's webhook secret; or as Authorization: Bearer",
    schema: { type: "string" as const },
  },
];
const response = t.Object(
  {
    success: t.Boolean(),
    eventId: t.String({ description: "id of the event of this message in the console" }),
  },
  { title: "WebhookResult" },
);

const DESCRIPTION =
  "Answers once the points are on the disk. JSON or CBOR. The secret is that of the tenant (`POST /api/tenant/integration/rotate-secret`); a `deviceToken` in the body replaces it for LoRaWAN types. A message that arrives twice is stored once. If the integration's own mapping or script fails, the message is kept as an event that can be replayed, and the response is 200.";
const ERRORS = {
  400: "The secret is wrong, the content type is neither JSON nor CBOR, the body cannot be read, or the device is unknown (also kept as an event).",
  404: "The integration does not exist in the tenant of the secret.",
  413: "The body is larger than 256 KiB.",
  429: "There were too many messages or wrong secrets. `Retry-After` says when to try again.",
  503: "Storage cannot take writes.",
};
const names: Record<WebhookKind, string> = {
  generic: "generic",
  "lorawan-a": "ChirpStack v4",
  "lorawan-b": "The Things Stack v3",
};
const operationNouns: Record<WebhookKind, string> = {
  generic: "Generic",
  "lorawan-a": "LorawanA",
  "lorawan-b": "LorawanB",
};
const bodies: Record<WebhookKind, string> = {
  generic:
    "`{deviceToken | externalDeviceId, tenantId?, childDeviceId?, ts?, telemetry: {…}}` or what the integration's paths say. `tenantId` names the tenant where neither header nor query does.",
  "lorawan-a":
    "ChirpStack v4 or v3. The query `event` names the event; without it the fields of the body do.",
  "lorawan-b": "The Things Stack v3, the message type is the key that is there.",
};

const examples: Record<WebhookKind, object> = {
  generic: { externalDeviceId: "pump-1", tenantId: "0198c0de", telemetry: { temperature: 21.5 } },
  "lorawan-a": {
    deduplicationId: "3ac7e3c4-4401-4b8d-9386-a5c902f9202d",
    time: "2026-01-01T12:00:00Z",
    deviceInfo: { devEui: "0102030405060708", deviceName: "room 1" },
    fPort: 1,
    data: "AQIDBA==",
    object: { temperature: 21.5 },
  },
  "lorawan-b": {
    end_device_ids: { device_id: "room-1", dev_eui: "0102030405060708" },
    received_at: "2026-01-01T12:00:00Z",
    uplink_message: { f_port: 1, frm_payload: "AQIDBA==", decoded_payload: { temperature: 21.5 } },
  },
};

interface Context {
  readonly request: Request;
  /** Absent for a URL without parameters. */
  readonly params?: { integrationId?: string } | undefined;
  readonly query: { tenantId?: string; event?: string };
  readonly server: { requestIP(request: Request): { address: string } | null } | null;
}

/** Creates the routes to which other programs and network servers post. */
export const webhooksRoutes = (deps: {
  webhooks: WebhooksService;
  bodySpace: Pick<BodySpace, "take">;
  clock: Pick<Clock, "now">;
}) => {
  async function receive(kind: WebhookKind, { request, params, query, server }: Context) {
    const integrationId = params?.integrationId;
    const encoding = encodingOf(request);
    const secret = secretOf(request);
    const tenant = request.headers.get("x-tenant-id") || query.tenantId || undefined;
    const owner = deps.webhooks.spaceOwner({
      tenantId: tenant,
      integrationId,
      secret,
      get peer() {
        return peerOf(request, server);
      },
    });
    deps.bodySpace.take(request, owner, BODY_BYTES_MAX);
    const bytes = await readBytes(request, BODY_BYTES_MAX);
    const isAuthenticatedBySecret = secret !== undefined && (tenant ?? integrationId) !== undefined;
    // The generic webhook takes nothing without the secret, as the contract has it.
    const isBodyOfUse = !isAuthenticatedBySecret && (kind !== "generic" || secret !== undefined);
    const sender = isBodyOfUse
      ? await deps.webhooks.readSender(peerOf(request, server), bytes, () => senderIn(bytes, encoding))
      : undefined;
    const { event } = query;
    const pushUrl = kind === "lorawan-b" ? request.headers.get("x-downlink-push") : null;
    const { eventId } = await deps.webhooks.take({
      kind,
      integrationId,
      tenantId: tenant ?? (kind === "generic" ? sender?.tenantId : undefined),
      secret,
      deviceToken: sender?.deviceToken,
      // Read only when refusing.
      get peer() {
        return peerOf(request, server);
      },
      message: {
        bytes,
        encoding,
        receivedAt: deps.clock.now(),
        ...(event !== undefined && { event }),
        ...(pushUrl !== null && pushUrl.length <= PUSH_URL_MAX && { pushUrl }),
      },
    });
    return { success: true, eventId };
  }

  const detailOf = (kind: WebhookKind, operationId: string, subject: string) => ({
    operationId,
    summary: `Receive ${names[kind]} messages (${subject})`,
    description: `${bodies[kind]} ${DESCRIPTION}`,
    errors: ERRORS,
    security: [{ webhookSecret: [] }, {}],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        "application/json": { schema: { type: "object" as const }, example: examples[kind] },
        "application/cbor": { schema: { type: "string" as const, format: "binary" } },
      },
    },
  });
  const options = { parse: "none", query, response: { 200: response } } as const;
  const toDefault = (kind: WebhookKind) => ({
    ...options,
    detail: detailOf(kind, `post${operationNouns[kind]}Webhook`, "default"),
  });
  const toOne = (kind: WebhookKind) => ({
    ...options,
    params: t.Object({ integrationId: t.String({ maxLength: 64 }) }),
    detail: detailOf(kind, `postNamed${operationNouns[kind]}Webhook`, "by id"),
  });

  // Elysia infers a handler's needs from its source. Without named parameters, it parses cookies and headers of every message.
  const handlerOf =
    (kind: WebhookKind) =>
    ({ request, params, query, server }: Context) =>
      receive(kind, { request, params, query, server });

  return new Elysia({ prefix: "/api/v1/integrations", tags: ["integrations"] })
    .post("/generic/telemetry", handlerOf("generic"), toDefault("generic"))
    .post("/lorawan-a/telemetry", handlerOf("lorawan-a"), toDefault("lorawan-a"))
    .post("/lorawan-b/telemetry", handlerOf("lorawan-b"), toDefault("lorawan-b"))
    .post("/generic/:integrationId/telemetry", handlerOf("generic"), toOne("generic"))
    .post("/lorawan-a/:integrationId/telemetry", handlerOf("lorawan-a"), toOne("lorawan-a"))
    .post("/lorawan-b/:integrationId/telemetry", handlerOf("lorawan-b"), toOne("lorawan-b"));
};
