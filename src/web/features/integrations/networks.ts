import { frameSources } from "../../../lib/devices/frame-sources.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { Integration, IntegrationType } from "./integrations-api.ts";
import { type Network, networks } from "./network-list.ts";

export const isLorawan = (type: IntegrationType): boolean =>
  type === "CHIRPSTACK" || type === "THE_THINGS_STACK";

/** MQTT topic filters for the events of network servers. */
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

/** Returns why an active integration is still waiting; undefined once messages arrive. */
function waitsFor({ status, missing, bridge, stats }: Running) {
  if (status !== "active") return undefined;
  if (missing !== null) return "integrations.noSecret";
  if (bridge !== null && bridge.status !== "connected") return "bridge.connecting";
  return stats.lastMessageAt === null ? "integrations.noMessage" : undefined;
}

/** Returns whether an integration is started, but has not received anything, or cannot receive anything now. */
export const isWaiting = (integration: Running): boolean => waitsFor(integration) !== undefined;

export const statusText = (integration: Running): string =>
  t(waitsFor(integration) ?? `integrationStatus.${integration.status}`);

export const startedText = ({ name, status, missing }: Pick<Integration, "name" | "status" | "missing">) =>
  t(status === "active" && missing !== null ? "integrations.startedNoSecret" : "integrations.started", {
    name,
  });
