import { encodeBody } from "../lib/body.ts";
import type { DeviceId } from "../lib/ids.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { GatewayMessage, GatewaysService } from "../modules/gateways/gateways.service.ts";
import type { IngestDevice, IngestSource } from "../modules/ingest/ingest.types.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";
import type { DeviceSockets } from "./device-sockets.ts";
import type { MqttServer } from "./mqtt.types.ts";
import { GATEWAY_COMMANDS } from "./topics.ts";

const ATTRIBUTES = "v1/gateway/attributes";
const RESPONSE = "v1/gateway/attributes/response";

/** The ways to gateways. */
export interface GatewayWays {
  mqtt(): Pick<MqttServer, "publishToDevice" | "isListening" | "keepsMessages">;
  sockets(): Pick<DeviceSockets, "publish" | "isOpen">;
  readonly log: Logger;
}

export function sendByMqtt({ mqtt, log }: GatewayWays, gateway: IngestDevice, topic: string, body: unknown) {
  mqtt()
    .publishToDevice(gateway.deviceId, topic, encodeBody(gateway.payload, body), 1)
    .catch((error) => log.error("a gateway was not notified", { deviceId: gateway.deviceId, topic, error }));
}

/** Handles messages of gateways on `v1/gateway/…`; undefined for any other topic, and for a device that is not a gateway. */
export function createGatewayMessages(deps: GatewayWays & { gateways: GatewaysService }) {
  const { gateways } = deps;
  /** Answers by the transport of the question. */
  function respond(gateway: IngestDevice, source: IngestSource, body: unknown): void {
    if (source === "ws") deps.sockets().publish(gateway.deviceId, RESPONSE, body);
    else sendByMqtt(deps, gateway, RESPONSE, body);
  }
  type Take = (gateway: IngestDevice, message: GatewayMessage) => Promise<void>;
  const topics: ReadonlyMap<string, Take> = new Map<string, Take>([
    ["v1/gateway/connect", gateways.connect],
    ["v1/gateway/disconnect", gateways.disconnect],
    ["v1/gateway/telemetry", gateways.telemetry],
    [ATTRIBUTES, gateways.attributes],
    ["v1/gateway/claim", gateways.claim],
    [GATEWAY_COMMANDS, gateways.answer],
    [
      "v1/gateway/attributes/request",
      (gateway, message) =>
        gateways.request(gateway, message, (body) => respond(gateway, message.source, body)),
    ],
  ]);
  return (
    source: "mqtt" | "ws",
    device: IngestDevice,
    message: { topic: string; bytes: Uint8Array },
  ): Promise<void> | undefined =>
    device.role === "GATEWAY" ? topics.get(message.topic)?.(device, { source, ...message }) : undefined;
}

/** Sends changed SHARED attributes of children to their gateways. */
export function pushChildAttributes(
  deps: GatewayWays & { events: EventBus<DomainEvents>; directory: Pick<DeviceDirectory, "find"> },
): void {
  const gatewayOf = (deviceId: DeviceId) => {
    const child = deps.directory.find(deviceId);
    const gateway = child?.parentDeviceId ? deps.directory.find(child.parentDeviceId) : undefined;
    return child?.childName && gateway ? { name: child.childName, gateway } : undefined;
  };
  deps.events.on("attributes.changed", ({ deviceId, scope, values, deleted }) => {
    const way = scope === "SHARED" ? gatewayOf(deviceId) : undefined;
    if (way === undefined) return;
    const body = { device: way.name, data: deleted.length > 0 ? { deleted } : values };
    deps.sockets().publish(way.gateway.deviceId, ATTRIBUTES, body);
    sendByMqtt(deps, way.gateway, ATTRIBUTES, body);
  });
}
