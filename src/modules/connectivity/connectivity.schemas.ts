import { t } from "elysia";
import { isoTimeOrNull } from "../api/wire.schemas.ts";

const transport = t.Object(
  {
    id: t.String(),
    name: t.String(),
    url: t.String(),
    auth: t.String(),
    payloads: t.Array(t.String()),
    example: t.String(),
  },
  { title: "Transport" },
);
export const catalogBody = t.Object({ transports: t.Array(transport) });

const status = {
  hasSecret: t.Boolean(),
  secretUpdatedAt: isoTimeOrNull,
  oldSecretUntil: isoTimeOrNull,
};
const webhookBody = t.Object(
  {
    kind: t.String({
      description: "generic, lorawan-a (ChirpStack v4 or v3) or lorawan-b (The Things Stack v3)",
    }),
    url: t.String(),
    integrationId: t.Optional(t.String({ description: "the integration that the address belongs to" })),
    name: t.Optional(t.String()),
  },
  { title: "WebhookAddress" },
);
export type Webhook = typeof webhookBody.static;
export const webhookAddresses = t.Object({
  tenantId: t.String(),
  ...status,
  webhooks: t.Array(webhookBody),
});
export const newSecretBody = t.Object({ secret: t.String(), ...status });
