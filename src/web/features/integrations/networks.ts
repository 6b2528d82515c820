import { type FrameSourceId, frameSources } from "../../../lib/devices/frame-sources.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Integration, IntegrationType } from "./integrations-api.ts";

/**
 * Networks and formats that can be connected, in the order in which they are offered; `format` if the type alone does not say how
 * bodies are read.
 */
export const networks = [
  { id: "CHIRPSTACK", type: "CHIRPSTACK" },
  { id: "THE_THINGS_STACK", type: "THE_THINGS_STACK" },
  { id: "thingpark", type: "HTTP", frames: "thingpark" },
  { id: "loriot", type: "HTTP", frames: "loriot" },
  { id: "kerlink", type: "HTTP", frames: "kerlink" },
  { id: "multitech", type: "MQTT", topics: "lorawan/+/+/+/up\nlora/+/up", frames: "multitech" },
  { id: "aws", type: "HTTP", frames: "aws" },
  { id: "helium", type: "HTTP", frames: "helium" },
  { id: "netmore", type: "HTTP", frames: "netmore" },
  { id: "HTTP", type: "HTTP" },
  { id: "MQTT", type: "MQTT", topics: "sensors/#" },
  { id: "tasmota", type: "MQTT", format: "tasmota", topics: "tele/#\nstat/#" },
  { id: "zigbee2mqtt", type: "MQTT", format: "zigbee2mqtt", topics: "zigbee2mqtt/#" },
  { id: "shelly", type: "MQTT", format: "shelly", topics: "+/events/rpc\n+/status/#\n+/online\nshellies/#" },
  { id: "home-assistant", type: "MQTT", format: "home-assistant", topics: "homeassistant/#" },
  { id: "sparkplug", type: "MQTT", format: "sparkplug", topics: "spBv1.0/#" },
] as const satisfies ReadonlyArray<{
  id: string;
  type: IntegrationType;
  format?: string;
  topics?: string;
  frames?: FrameSourceId;
}>;

export type Network = (typeof networks)[number];

export const isLorawan = (type: IntegrationType): boolean =>
  type === "CHIRPSTACK" || type === "THE_THINGS_STACK";

/** Topics that a network server publishes its events under. */
export const serverTopics: Partial<Record<IntegrationType, string>> = {
  CHIRPSTACK: "application/+/device/+/event/+",
  THE_THINGS_STACK: "v3/+/devices/+/#",
};

export function networkOf({ type, settings_json }: Pick<Integration, "type" | "settings_json">): Network {
  const { format } = settings_json;
  const exact = networks.find(
    (network) => network.type === type && "format" in network && network.format === format,
  );
  const { paths } = settings_json;
  const ofFrames = networks.find(
    (network) =>
      network.type === type &&
      "frames" in network &&
      paths?.frame !== undefined &&
      frameSources[network.frames].paths.frame === paths.frame &&
      frameSources[network.frames].paths.deviceId === paths.deviceId,
  );
  const plain = networks.find(
    (network) => network.type === type && !("format" in network) && !("frames" in network),
  );
  return exact ?? ofFrames ?? plain ?? networks[0];
}

export const networkName = (integration: Pick<Integration, "type" | "settings_json">): string =>
  t(`network.${networkOf(integration).id}`);

type Running = Pick<Integration, "status" | "missing" | "bridge" | "stats">;

/** Returns the reason why an active integration is still waiting; undefined once messages arrive. */
function waitsFor({ status, missing, bridge, stats }: Running) {
  if (status !== "active") return undefined;
  if (missing !== null) return "integrations.noSecret";
  if (bridge !== null && bridge.status !== "connected") return "bridge.connecting";
  return stats.lastMessageAt === null ? "integrations.noMessage" : undefined;
}

/** Started, but nothing has arrived yet, or nothing can arrive now. */
export const isWaiting = (integration: Running): boolean => waitsFor(integration) !== undefined;

export const statusText = (integration: Running): string =>
  t(waitsFor(integration) ?? `integrationStatus.${integration.status}`);

export const startedText = ({ name, status, missing }: Pick<Integration, "name" | "status" | "missing">) =>
  t(status === "active" && missing !== null ? "integrations.startedNoSecret" : "integrations.started", {
    name,
  });
