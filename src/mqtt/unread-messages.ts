import { detail } from "../lib/domain-error.ts";
import type { PacketTooLarge } from "../lib/mqtt/reason.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { MqttServerDeps } from "./mqtt.types.ts";
import type { Principal } from "./principal.ts";
import { TAKEOVER_WINDOW_MS, Takeovers } from "./takeovers.ts";

const PUBLISH_TYPE = 3;

/** Returns the topic of a PUBLISH, if what was received contains it. */
function topicOf({ header, start }: PacketTooLarge): string | undefined {
  if (header >> 4 !== PUBLISH_TYPE || start.length < 2) return undefined;
  const end = 2 + ((start[0]! << 8) | start[1]!);
  return end > start.length ? undefined : new TextDecoder().decode(start.subarray(2, end));
}

/** Lists on a device why its connections end before a message is read: its client cannot be told before MQTT 5, and repeats itself for ever. */
export class UnreadMessages {
  readonly #deps: Pick<MqttServerDeps, "ingest" | "limits" | "log">;
  readonly #takeovers = new Takeovers();

  constructor(deps: Pick<MqttServerDeps, "ingest" | "limits" | "log">) {
    this.#deps = deps;
  }

  tooLarge({ device, owner }: Principal, packet: PacketTooLarge): void {
    const { ingest, limits, log } = this.#deps;
    const { bytes } = packet;
    const topic = topicOf(packet);
    log.info("client disconnected: its packet is too large", { ...owner, topic, bytes });
    if (device === undefined) return;
    const hit = detail("device.mqtt_packet_too_large", { bytes, max: limits.packetBytesMax });
    ingest.reject(device, { source: "mqtt", where: topic ?? "PUBLISH", ...hit });
  }

  /** A client of the device has ended the connection of another one. */
  takenOver(device: IngestDevice, now: number): void {
    const count = this.#takeovers.add(device.deviceId, now);
    if (count === undefined) return;
    const hit = detail("device.mqtt_taken_over", { count, minutes: TAKEOVER_WINDOW_MS / 60_000 });
    this.#deps.ingest.reject(device, { source: "mqtt", where: "CONNECT", ...hit });
  }
}
