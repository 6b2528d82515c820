import { conflict, invalid, notFound } from "../../lib/domain-error.ts";

export const integrationNotFound = () => notFound("integration.not_found", "There is no such integration.");
export const eventNotFound = () => notFound("integration.event_not_found", "There is no such event.");
export const integrationsLimit = (limit: number) =>
  conflict("integration.limit", `A tenant has ${limit} integrations at most; delete one first.`);
export const defaultNotRunning = () =>
  conflict(
    "integration.default_not_running",
    "Only a running integration can be the default; start it first.",
  );
export const notReplayable = () =>
  conflict("integration.not_replayable", "This event has no message that could be worked on again.");
export const typeFixed = () =>
  invalid("integration.type_fixed", "type: cannot be changed; make another integration instead");
/** Says the same to whoever has no secret, a wrong one, or the wrong tenant. */
export const secretRequired = () =>
  invalid(
    "webhook.secret_invalid",
    "A valid webhook secret is required: X-Webhook-Secret, or Authorization: Bearer, with the tenant in x-tenant-id.",
  );
export const tenantMissing = () =>
  invalid(
    "webhook.tenant_missing",
    "x-tenant-id: the tenant's id is required, here, as the query tenantId, or (generic only) as tenantId in the body",
  );
export const notRunning = () =>
  invalid("webhook.not_running", "This integration is not switched on: start it in the console.");
export const nothingIn = (why: string) => invalid("telemetry.empty", why);
