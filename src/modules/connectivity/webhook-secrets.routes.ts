import { Elysia, t } from "elysia";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { SecretStatus, WebhookSecretsService } from "./webhook-secrets.service.ts";

const time = t.Union([t.String(), t.Null()], { description: "ISO 8601" });
const status = {
  hasSecret: t.Boolean(),
  secretUpdatedAt: time,
  oldSecretUntil: time,
};
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
const toWire = ({ hasSecret, secretUpdatedAt, oldSecretUntil }: SecretStatus) => ({
  hasSecret,
  secretUpdatedAt: iso(secretUpdatedAt),
  oldSecretUntil: iso(oldSecretUntil),
});

/** Where programs post to, and what they post with. */
export const webhookSecretsRoutes = (deps: { secrets: WebhookSecretsService; auth: AuthPlugin }) => {
  const { secrets } = deps;
  const ownTenant = ({ principal }: AuditContext) => principal.tenantId;
  return new Elysia({ prefix: "/api/tenant/integration", tags: ["connectivity"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal: { tenantId } }) => ({ tenantId, ...toWire(secrets.status(tenantId)), webhooks: [] }),
      {
        auth: "integrations:read",
        response: {
          200: t.Object({
            tenantId: t.String(),
            ...status,
            webhooks: t.Array(t.Object({ kind: t.String(), url: t.String() })),
          }),
        },
        detail: {
          summary: "The tenant's webhooks and whether they have a secret",
          description:
            "The secret itself is never told again. `webhooks` names the addresses that take data.",
        },
      },
    )
    .post(
      "/rotate-secret",
      ({ principal, body, set }) => {
        set.status = 201;
        const { secret, ...made } = secrets.rotate(principal.tenantId, body?.keepOld ?? false);
        return { secret, ...toWire(made) };
      },
      {
        auth: "integrations:secret",
        audit: { action: "webhook_secret.rotate", target: "tenant", id: ownTenant },
        body: t.Optional(
          t.Object({
            keepOld: t.Optional(
              t.Boolean({ description: "the secret before it stays good for ten more minutes" }),
            ),
          }),
        ),
        response: { 201: t.Object({ secret: t.String(), ...status }) },
        detail: {
          summary: "Make a new webhook secret",
          description:
            "Answers with the secret, this once. The one before ends at once, or after ten minutes with `keepOld`. For owners and administrators; 403 for others and for API keys.",
        },
      },
    );
};
