import { conflict, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";

export const integrationNotFound = () => notFound("integration.not_found");
export const eventNotFound = () => notFound("integration.event_not_found");
export const integrationsLimit = (limit: number) => conflict("integration.limit", { limit });
export const defaultNotRunning = () => conflict("integration.default_not_running");
export const notReplayable = () => conflict("integration.not_replayable");
export const typeFixed = () => invalid("integration.type_fixed");
/** Returns the same error for a missing secret, a wrong secret and a wrong tenant. */
export const secretRequired = () => invalid("webhook.secret_invalid");
export const tenantMissing = () => invalid("webhook.tenant_missing");
export const notRunning = () => invalid("webhook.not_running");
export const nothingIn = (reason: Text) => invalid("telemetry.nothing_taken", { reason });
