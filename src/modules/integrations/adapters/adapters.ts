import type { AdapterDefinition, MessageFormat } from "../integrations.types.ts";
import { chirpstack } from "./chirpstack.ts";
import { generic } from "./generic.ts";
import { homeAssistant } from "./home-assistant/home-assistant.ts";
import { shelly } from "./shelly/shelly.ts";
import { sparkplug } from "./sparkplug/sparkplug.ts";
import { tasmota } from "./tasmota.ts";
import { theThingsStack } from "./the-things-stack.ts";
import { zigbee2mqtt } from "./zigbee2mqtt.ts";

const definitions: ReadonlyMap<MessageFormat, AdapterDefinition> = new Map(
  [generic, chirpstack, theThingsStack, tasmota, zigbee2mqtt, shelly, sparkplug, homeAssistant].map(
    (definition) => [definition.format, definition],
  ),
);

export function adapterOf(format: AdapterDefinition["format"]): AdapterDefinition {
  const definition = definitions.get(format);
  if (!definition) throw new Error(`there is no adapter for ${format}`);
  return definition;
}
