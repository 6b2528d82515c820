import type { DeviceId } from "../../lib/core/ids.ts";
import { encodeBody } from "../../lib/json/body.ts";
import type { DeviceDirectory } from "../../modules/devices/device-directory.ts";
import type { DomainEvents } from "../../modules/events.types.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { MqttServer } from "../mqtt.types.ts";
import type { DeviceSockets } from "./device-sockets.ts";

const TOPIC = "v1/devices/me/attributes";

/** Sends changed SHARED attributes to a device, and ends its connections when it is deleted or gets another token. */
export function pushSharedAttributes(deps: {
  events: EventBus<DomainEvents>;
  mqtt: MqttServer;
  sockets: Pick<DeviceSockets, "publish" | "disconnect">;
  directory: DeviceDirectory;
  log: Logger;
}): void {
  const { events, mqtt, sockets, directory, log } = deps;
  events.on("attributes.changed", ({ deviceId, scope, values, deleted }) => {
    if (scope !== "SHARED") return;
    const body = deleted.length > 0 ? { deleted } : values;
    sockets.publish(deviceId, TOPIC, body);
    const payload = encodeBody(directory.find(deviceId)?.payload, body);
    mqtt
      .publishToDevice(deviceId, TOPIC, payload, 1)
      .catch((error) => log.error("pushing attributes failed", { deviceId, error }));
  });
  const disconnect = ({ deviceId }: { deviceId: DeviceId }) => {
    mqtt.disconnectDevice(deviceId);
    sockets.disconnect(deviceId);
  };
  events.on("device.deleted", disconnect);
  events.on("device.credentials", disconnect);
}
