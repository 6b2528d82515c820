import { invalid } from "../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { readStored } from "../../../lib/json/known-fields.ts";
import type { SealedBox } from "../../../platform/secrets/sealed-box.ts";
import type { CompiledStep } from "../../pipelines/step.types.ts";
import { compileSteps } from "../../pipelines/step-engine.ts";
import { adapterOf } from "../adapters/adapters.ts";
import type { AnnouncedDevices } from "../adapters/home-assistant/announced-devices.ts";
import { HomeAssistantAdapter } from "../adapters/home-assistant/home-assistant.ts";
import { openSettings, splitOf } from "../integration-settings.ts";
import type { Integration } from "../integrations.resource.ts";
import type { Adapter, IntegrationSettings, IntegrationType, MessageFormat } from "../integrations.types.ts";

/** Prepared integration; its adapter keeps state from earlier messages. */
export interface LiveIntegration {
  readonly integration: Integration;
  /** Settings with their secrets. */
  readonly settings: IntegrationSettings;
  readonly adapter: Adapter;
  readonly steps: readonly CompiledStep[];
  /** Source of the script, if it is switched on. */
  readonly script: string | undefined;
}

const formatOfType: Record<IntegrationType, Exclude<MessageFormat, "auto">> = {
  HTTP: "generic",
  MQTT: "generic",
  CHIRPSTACK: "chirpstack",
  THE_THINGS_STACK: "the-things-stack",
};

/** Returns the format in which bodies of an integration are read. */
const formatOf = (type: IntegrationType, { format }: IntegrationSettings): Exclude<MessageFormat, "auto"> =>
  format === undefined || format === "auto" ? formatOfType[type] : format;

/** @throws DomainError `invalid` that names the step */
export function compileMapping(steps: unknown): CompiledStep[] {
  if (Array.isArray(steps) && steps.some((step) => isJsonObject(step) && step.type === "webhook_forward"))
    throw invalid("integration.step_unfit");
  return compileSteps(steps);
}

export interface LiveIntegrationDeps {
  readonly box: SealedBox;
  readonly isMapped: boolean;
  /** Announcements of devices to an integration. */
  readonly announced?: { of(integration: Integration): AnnouncedDevices | undefined };
}

export function createLive(
  { box, isMapped, announced }: LiveIntegrationDeps,
  integration: Integration,
): LiveIntegration {
  const devices = announced?.of(integration);
  const settings = openSettings(splitOf(box, integration));
  const { scriptTransform } = settings;
  return {
    integration,
    settings,
    adapter: devices
      ? new HomeAssistantAdapter(settings, devices)
      : adapterOf(formatOf(integration.type, settings)).create(settings),
    steps: isMapped ? readStored(() => compileMapping(integration.mappingSteps)) : [],
    script:
      scriptTransform?.enabled && scriptTransform.source.trim() !== "" ? scriptTransform.source : undefined,
  };
}
