import { decodeBody, encodeBody } from "../lib/body.ts";
import type { DeviceId } from "../lib/ids.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Command, CommandRelay } from "../modules/commands/commands.types.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { GatewaySessions } from "../modules/gateways/gateway-sessions.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { Logger } from "../platform/log.ts";
import type { MqttServer } from "./mqtt.types.ts";
import { GATEWAY_COMMANDS } from "./topics.ts";

/** Commands to children, out through their gateways. */
export function createGatewayRelay(deps: {
  mqtt: () => MqttServer;
  directory: Pick<DeviceDirectory, "find">;
  sessions: Pick<GatewaySessions, "isReachable">;
  log: Logger;
}): CommandRelay {
  const { directory, log } = deps;
  return {
    gatewayOf: (deviceId) => directory.find(deviceId)?.parentDeviceId ?? undefined,
    send({ deviceId, rpcId, method, params }: Command) {
      const child = directory.find(deviceId);
      const gateway = child?.parentDeviceId ? directory.find(child.parentDeviceId) : undefined;
      if (!child?.childName || gateway === undefined || !deps.sessions.isReachable(child)) return false;
      if (!deps.mqtt().isListening(gateway.deviceId, GATEWAY_COMMANDS)) return false;
      const body = { device: child.childName, data: { id: rpcId, method, params } };
      deps
        .mqtt()
        .publishToDevice(gateway.deviceId, GATEWAY_COMMANDS, encodeBody(gateway.payload, body), 1)
        .catch((error) => log.error("a command was not sent", { deviceId, rpcId, error }));
      return true;
    },
    keepsFor: (gatewayId) => deps.mqtt().hasDurableSession(gatewayId),
  };
}

/** Which child's command a message to its gateway held; undefined for a child that has another gateway by now. */
export function commandIn(
  gateway: IngestDevice,
  payload: Uint8Array,
  find: { deviceOf(rpcId: number): DeviceId | undefined; directory: Pick<DeviceDirectory, "find"> },
): { deviceId: DeviceId; rpcId: number } | undefined {
  const body = decodeBody(payload, "AUTO"); // as we encoded it, whatever its profile says since
  const rpcId = isJsonObject(body) && isJsonObject(body.data) ? Number(body.data.id) : Number.NaN;
  const deviceId = Number.isSafeInteger(rpcId) ? find.deviceOf(rpcId) : undefined;
  const child = deviceId && find.directory.find(deviceId);
  return child?.parentDeviceId === gateway.deviceId ? { deviceId: child.deviceId, rpcId } : undefined;
}
