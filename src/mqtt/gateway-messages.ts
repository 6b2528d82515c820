import { encodeBody } from "../lib/body.ts";
import type { DeviceId } from "../lib/ids.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { GatewayMessage, GatewaysService } from "../modules/gateways/gateways.service.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";
import type { MqttServer } from "./mqtt.types.ts";
import { GATEWAY_COMMANDS } from "./topics.ts";

const ATTRIBUTES = "v1/gateway/attributes";
const RESPONSE = "v1/gateway/attributes/response";

interface Deps {
  readonly mqtt: () => Pick<MqttServer, "publishToDevice">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly log: Logger;
}

function send({ mqtt, log }: Deps, gateway: IngestDevice, topic: string, body: unknown): void {
  mqtt()
    .publishToDevice(gateway.deviceId, topic, encodeBody(gateway.payload, body), 1)
    .catch((error) => log.error("a gateway was not told", { deviceId: gateway.deviceId, topic, error }));
}

/** Takes what gateways say on `v1/gateway/…`; undefined for any other topic, and for a device that is no gateway. */
export function createGatewayMessages(deps: Deps & { gateways: GatewaysService }) {
  const { gateways } = deps;
  type Take = (gateway: IngestDevice, message: GatewayMessage) => Promise<void>;
  const topics: ReadonlyMap<string, Take> = new Map<string, Take>([
    ["v1/gateway/connect", gateways.connect],
    ["v1/gateway/disconnect", gateways.disconnect],
    ["v1/gateway/telemetry", gateways.telemetry],
    [ATTRIBUTES, gateways.attributes],
    [GATEWAY_COMMANDS, gateways.answer],
    [
      "v1/gateway/attributes/request",
      (gateway, message) => gateways.request(gateway, message, (body) => send(deps, gateway, RESPONSE, body)),
    ],
  ]);
  return (device: IngestDevice, topic: string, bytes: Uint8Array): Promise<void> | undefined =>
    device.role === "GATEWAY" ? topics.get(topic)?.(device, { topic, bytes }) : undefined;
}

/** Tells gateways of the SHARED attributes of their children as they change. */
export function pushChildAttributes(deps: Deps & { events: EventBus<DomainEvents> }): void {
  const gatewayOf = (deviceId: DeviceId) => {
    const child = deps.directory.find(deviceId);
    const gateway = child?.parentDeviceId ? deps.directory.find(child.parentDeviceId) : undefined;
    return child?.childName && gateway ? { name: child.childName, gateway } : undefined;
  };
  deps.events.on("attributes.changed", ({ deviceId, scope, values, deleted }) => {
    const way = scope === "SHARED" ? gatewayOf(deviceId) : undefined;
    if (way === undefined) return;
    const data = deleted.length > 0 ? { deleted } : values;
    send(deps, way.gateway, ATTRIBUTES, { device: way.name, data });
  });
}
