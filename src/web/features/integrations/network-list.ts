import type { FrameSourceId } from "../../../lib/devices/frame-sources.ts";

/** Supported networks and formats, in the order of display; `format` if the type does not determine how bodies are parsed. */
export const networks = [
  { id: "CHIRPSTACK", type: "CHIRPSTACK", manual: "quick-start-chirpstack" },
  { id: "THE_THINGS_STACK", type: "THE_THINGS_STACK", manual: "quick-start-the-things-stack" },
  { id: "thingpark", type: "HTTP", frames: "thingpark" },
  { id: "loriot", type: "HTTP", frames: "loriot" },
  { id: "kerlink", type: "HTTP", frames: "kerlink" },
  { id: "multitech", type: "MQTT", topics: "lorawan/+/+/+/up\nlora/+/up", frames: "multitech" },
  { id: "aws", type: "HTTP", frames: "aws" },
  { id: "helium", type: "HTTP", frames: "helium" },
  { id: "netmore", type: "HTTP", frames: "netmore" },
  { id: "HTTP", type: "HTTP" },
  { id: "MQTT", type: "MQTT", topics: "sensors/#" },
  { id: "tasmota", type: "MQTT", format: "tasmota", topics: "tele/#\nstat/#", manual: "quick-start-tasmota" },
  {
    id: "zigbee2mqtt",
    type: "MQTT",
    format: "zigbee2mqtt",
    topics: "zigbee2mqtt/#",
    manual: "quick-start-zigbee2mqtt",
  },
  {
    id: "shelly",
    type: "MQTT",
    format: "shelly",
    topics: "+/events/rpc\n+/status/#\n+/online\nshellies/#",
    manual: "quick-start-shelly",
  },
  {
    id: "home-assistant",
    type: "MQTT",
    format: "home-assistant",
    topics: "homeassistant/#",
    manual: "quick-start-esphome",
  },
  { id: "sparkplug", type: "MQTT", format: "sparkplug", topics: "spBv1.0/#" },
] as const satisfies ReadonlyArray<{
  id: string;
  type: string;
  format?: string;
  topics?: string;
  frames?: FrameSourceId;
  /** Page of the manual with each step. */
  manual?: string;
}>;

export type Network = (typeof networks)[number];

interface ClientTopics {
  /** Topics on which devices send, unless the topics of the integration contain them. */
  readonly publish?: readonly string[];
  /** Topics on which devices accept commands. */
  readonly subscribe: readonly string[];
}

/** Allowed topics of devices of a network at the broker of this gateway. */
export const clientTopics: Partial<Record<Network["id"], ClientTopics>> = {
  tasmota: { subscribe: ["cmnd/#"] },
  zigbee2mqtt: { subscribe: ["zigbee2mqtt/#"] },
  shelly: { subscribe: ["+/rpc", "+/command/#", "shellies/#"] },
  // Devices announce the topics of their states and commands: any topic of the site but reserved ones.
  "home-assistant": { publish: ["#"], subscribe: ["#"] },
  sparkplug: { subscribe: ["spBv1.0/#"] },
};
