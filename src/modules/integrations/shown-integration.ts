import { omit } from "../../lib/core/omit.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { ScriptSandbox } from "../script-sandbox/script-sandbox.ts";
import type { EventLog } from "./events/event-log.ts";
import { scriptKeysOf } from "./integration-principal.ts";
import { showSettings, splitOf } from "./integration-settings.ts";
import type { Integration } from "./integrations.resource.ts";
import type { IntegrationCounts, IntegrationType } from "./integrations.types.ts";

/** Names of automatically created integrations, by type. */
export const nameOfType: Record<IntegrationType, string> = {
  HTTP: "HTTP",
  MQTT: "MQTT",
  CHIRPSTACK: "ChirpStack",
  THE_THINGS_STACK: "The Things Stack",
};

/** Integration for clients, with secrets as `{kept: true}`. */
export type ShownIntegration = Omit<Integration, "settings" | "secrets"> & {
  readonly settings_json: Record<string, unknown>;
  /** Reason why the script is temporarily blocked; null if it is not. */
  readonly scriptBlocked: Text | null;
};

/** Returns the record with unwritten counts added and without its secrets. */
export function showIntegration(
  deps: {
    eventLog: Pick<EventLog, "countsOf">;
    scripts: { sandbox: Pick<ScriptSandbox, "breakerOf"> };
    box: SealedBox;
  },
  integration: Integration,
): ShownIntegration {
  const shown = omit(integration, "settings", "secrets");
  const fresh = deps.eventLog.countsOf(integration.integrationId);
  const counts: IntegrationCounts = {
    received: shown.received + fresh.received,
    stored: shown.stored + fresh.stored,
    dropped: shown.dropped + fresh.dropped,
    failed: shown.failed + fresh.failed,
    sent: shown.sent + fresh.sent,
  };
  const lastMessageAt = fresh.lastMessageAt ?? shown.lastMessageAt;
  const breakers = scriptKeysOf(integration).map((key) => deps.scripts.sandbox.breakerOf(key));
  const scriptBlocked = breakers.find((breaker) => breaker?.isOpen)?.reason ?? null;
  return {
    ...shown,
    ...counts,
    lastMessageAt,
    scriptBlocked,
    settings_json: showSettings(splitOf(deps.box, integration)),
  };
}
