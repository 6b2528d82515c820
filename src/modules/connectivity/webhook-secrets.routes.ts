import { Elysia, t } from "elysia";
import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import { newSecretBody, type Webhook, webhookAddresses } from "./connectivity.schemas.ts";
import type { SecretStatus, WebhookSecretsService } from "./webhook-secrets.service.ts";

const toWire = ({ hasSecret, secretUpdatedAt, oldSecretUntil }: SecretStatus) => ({
  hasSecret,
  secretUpdatedAt: iso(secretUpdatedAt),
  oldSecretUntil: iso(oldSecretUntil),
});

/** Creates the routes for webhook URLs and their secrets. */
export const webhookSecretsRoutes = (deps: {
  secrets: WebhookSecretsService;
  /** Returns the URLs that accept messages of a tenant. */
  webhooksOf: (tenantId: TenantId, requestUrl: string) => Webhook[];
  auth: AuthPlugin;
}) => {
  const { secrets } = deps;
  const ownTenant = ({ principal }: AuditContext) => principal.tenantId;
  return new Elysia({ prefix: "/api/tenant/integration", tags: ["connectivity"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal: { tenantId }, request }) => ({
        tenantId,
        ...toWire(secrets.status(tenantId)),
        webhooks: deps.webhooksOf(tenantId, request.url),
      }),
      {
        auth: "integrations:read",
        response: {
          200: webhookAddresses,
        },
        detail: {
          operationId: "getWebhookSettings",
          summary: "Get the tenant's webhook addresses",
          description:
            "The secret itself is never shown again. `webhooks` has the addresses that accept data.",
        },
      },
    )
    .post(
      "/rotate-secret",
      ({ principal, body, set }) => {
        ensureAllDevices(principal, detail("action.create_new_webhook_secret"));
        set.status = 201;
        const { secret, ...rotated } = secrets.rotate(principal.tenantId, body?.keepOld ?? false);
        return { secret, ...toWire(rotated) };
      },
      {
        auth: "integrations:secret",
        audit: { action: "webhook_secret.rotate", target: "tenant", id: ownTenant },
        body: t.Optional(
          t.Object({
            keepOld: t.Optional(
              t.Boolean({ description: "the previous secret stays valid for ten more minutes" }),
            ),
          }),
        ),
        response: { 201: newSecretBody },
        detail: {
          operationId: "rotateWebhookSecret",
          summary: "Create a new webhook secret",
          description:
            "Only this response shows the secret. The previous one ends immediately, or after ten minutes with `keepOld`.",
          errors: {
            403: "Requires an owner or administrator with access to all devices, signed in without an API key.",
          },
          example: { keepOld: true },
        },
      },
    );
};
