import { detail } from "../../../lib/core/domain-error.ts";
import { filterMatches, withoutShare } from "../../../lib/mqtt/topic-filters.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { LocalTopics, TopicState } from "../../mqtt-clients/mqtt-clients.types.ts";
import { ensureAllDevices } from "../../tenants/tenants.errors.ts";
import type { Principal } from "../../users/users.types.ts";
import { OWN_OBJECT_PREFIX } from "../adapters/home-assistant/home-assistant.ts";
import { LOCAL_BROKER } from "../bridge/local-bridge.ts";
import { filtersOf } from "../bridge/topic-device.ts";
import { isRunning } from "../inbound/running-integrations.ts";
import type { IntegrationsRepository } from "../integrations.repository.ts";
import type { BriefIntegration } from "../integrations.resource.ts";
import { DISCOVERED_FORMATS, type DiscoveredFormat } from "../integrations.types.ts";
import type { AnnouncementRegistry } from "./announcement-registry.ts";

const DEVICES_SHOWN = 10;
/** Max. characters of a listed name; a topic may have 65,535 characters. */
const NAME_CHARACTERS_MAX = 100;

/** Topics of a format's devices with default settings; the group is the device (a node id before an object id). */
const SIGNS: ReadonlyArray<readonly [DiscoveredFormat, RegExp]> = [
  ["tasmota", /^(?:tele|stat)\/(.+)\/(?:LWT|STATE|SENSOR|RESULT|INFO\d|STATUS\d*|POWER\d*)$/],
  ["zigbee2mqtt", /^zigbee2mqtt\/(?!bridge\/|.*\/(?:set|get)$)(.+?)(?:\/availability)?$/],
  ["shelly", /^shellies\/([^/]+)\/(?!command$).+$/],
  ["shelly", /^([^/]+)\/events\/rpc$/],
  ["home-assistant", /^homeassistant\/[^/]+\/([^/]+)\/(?:[^/]+\/)?config$/],
  ["sparkplug", /^spBv1\.0\/([^/]+\/)N(?:BIRTH|DATA)\/([^/]+)$/],
];

/** Devices of one format that publish to this gateway without being read by an integration. */
export interface DiscoveredNetwork {
  readonly format: DiscoveredFormat;
  /** Some of the devices' names in their topics. */
  readonly devices: readonly string[];
  readonly deviceCount: number;
  /** Epoch ms. */
  readonly lastMessageAt: number;
}

function signOf(topic: string): { format: DiscoveredFormat; device: string } | undefined {
  for (const [format, pattern] of SIGNS) {
    const device = pattern.exec(topic)?.slice(1).join("");
    if (device === undefined) continue;
    return format === "home-assistant" && device.startsWith(OWN_OBJECT_PREFIX)
      ? undefined
      : { format, device };
  }
  return undefined;
}

/** Returns the networks of topics for which `isRead` returns false. */
export function discoverNetworks(
  topics: readonly Pick<TopicState, "topic" | "receivedAt">[],
  isRead: (topic: string) => boolean,
): DiscoveredNetwork[] {
  const found = new Map<DiscoveredFormat, { devices: Set<string>; lastMessageAt: number }>();
  for (const { topic, receivedAt } of topics) {
    const sign = signOf(topic);
    if (sign === undefined || isRead(topic)) continue;
    const network = found.get(sign.format) ?? { devices: new Set(), lastMessageAt: 0 };
    network.devices.add(sign.device);
    network.lastMessageAt = Math.max(network.lastMessageAt, receivedAt);
    found.set(sign.format, network);
  }
  return DISCOVERED_FORMATS.flatMap((format) => {
    const network = found.get(format);
    if (network === undefined) return [];
    const { devices, lastMessageAt } = network;
    const names = [...devices].slice(0, DEVICES_SHOWN).map((name) => excerpt(name, NAME_CHARACTERS_MAX));
    return [{ format, devices: names, deviceCount: devices.size, lastMessageAt }];
  });
}

/** Lists networks whose devices already publish to the embedded broker and can be connected. */
export function createDiscoveredNetworks(deps: {
  readonly repository: Pick<IntegrationsRepository, "listBriefly">;
  readonly topics: Pick<LocalTopics, "newest">;
  readonly announced: Pick<AnnouncementRegistry, "of">;
}) {
  function reader(integration: BriefIntegration): (topic: string) => boolean {
    const { mqtt } = integration.settings;
    if (mqtt?.brokerUrl !== LOCAL_BROKER || !isRunning(integration)) return () => false;
    const filters = filtersOf(mqtt).map(withoutShare);
    const announced = deps.announced.of(integration)?.topics;
    return (topic) =>
      filters.some((filter) => filterMatches(filter, topic)) || announced?.has(topic) === true;
  }
  return {
    list(principal: Principal): DiscoveredNetwork[] {
      ensureAllDevices(principal, detail("action.create_integration"));
      const { tenantId } = principal;
      const readers = deps.repository.listBriefly(tenantId).map(reader);
      return discoverNetworks(deps.topics.newest(tenantId), (topic) => readers.some((reads) => reads(topic)));
    },
  };
}
