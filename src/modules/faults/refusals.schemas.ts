import { t } from "elysia";
import { REFUSAL_EDGES } from "../../lib/alarms/fault-sources.ts";
import { PEER_PROTOCOLS } from "../api/request-peer.ts";
import { choice, literals, renderedText, textFields } from "../api/wire.schemas.ts";
import { IDENTITY_KINDS } from "./refusals.types.ts";

export const refusalBody = t.Object(
  {
    refusalId: t.String(),
    edge: choice(REFUSAL_EDGES, { description: "where the credential was presented" }),
    protocol: choice(PEER_PROTOCOLS, { description: "protocol of the connection" }),
    port: t.Optional(t.Integer({ description: "port of the gateway" })),
    address: t.Optional(
      t.String({
        description: "network address of the client; only the gateway's list has it of a `shared_name`",
      }),
    ),
    client: t.Optional(
      t.String({
        description: "MQTT client id or user agent, at the newest refusal; missing like `address`",
      }),
    ),
    identityKind: choice(IDENTITY_KINDS, {
      description:
        "what `identity` names; `others` stands for all further identities of an address that has used many; `shared_name` for a user name or client id that several tenants have",
    }),
    identity: t.String({
      description:
        "client id, user name, email address or name; of a token or key the first 4 characters and the length",
    }),
    reason: renderedText,
    hint: t.Optional(renderedText),
    count: t.Integer({ description: "number of refusals" }),
    firstAt: t.String({ format: "date-time" }),
    lastAt: t.String({ format: "date-time" }),
    tenantId: t.Optional(t.String({ description: "tenant, if the identity is known" })),
    tenantName: t.Optional(t.String()),
    deviceId: t.Optional(t.String({ description: "device, if it is known" })),
    deviceName: t.Optional(t.String()),
    userId: t.Optional(t.String({ description: "user, where it is known" })),
  },
  { title: "Refusal" },
);

export const refusalFilter = {
  edge: t.Optional(literals(REFUSAL_EDGES, { description: "refusals at this edge only" })),
};

export const rejectionBody = t.Object(
  {
    at: t.String({ description: "ISO 8601; of the newest occurrence" }),
    firstAt: t.String({ description: "ISO 8601; of the first occurrence" }),
    count: t.Integer({ description: "number of messages that were rejected for this reason" }),
    source: t.String(),
    where: t.String({ description: "topic or path as the device used it" }),
    ...textFields,
    reason: t.String({ description: "the text of the code in English" }),
    sample: t.Optional(t.String({ description: "the first bytes of the newest body" })),
  },
  { title: "Rejection" },
);
