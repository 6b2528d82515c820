import { decodeBody } from "../lib/body.ts";
import type { DeviceId } from "../lib/ids.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Command, CommandRelay } from "../modules/commands/commands.types.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { GatewaySessions } from "../modules/gateways/gateway-sessions.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import { type GatewayWays, sendByMqtt } from "./gateway-messages.ts";
import { GATEWAY_COMMANDS } from "./topics.ts";

/** Commands to children, out through their gateways. */
export function createGatewayRelay(
  deps: GatewayWays & {
    directory: Pick<DeviceDirectory, "find">;
    sessions: Pick<GatewaySessions, "isReachable">;
  },
): CommandRelay {
  const { directory, sessions } = deps;
  /** Sends over MQTT or a WebSocket, as `commandTransport` of the gateway says, if it says something. */
  function sendToGateway(gateway: IngestDevice, body: unknown): boolean {
    const { deviceId, commandTransport } = gateway;
    const mayUse = (way: "MQTT" | "WS") => (commandTransport ?? way) === way;
    if (mayUse("MQTT") && deps.mqtt().isListening(deviceId, GATEWAY_COMMANDS))
      sendByMqtt(deps, gateway, GATEWAY_COMMANDS, body);
    else if (mayUse("WS") && deps.sockets().isOpen(deviceId))
      deps.sockets().publish(deviceId, GATEWAY_COMMANDS, body);
    else return false;
    return true;
  }
  return {
    gatewayOf: (deviceId) => directory.find(deviceId)?.parentDeviceId ?? undefined,
    send({ deviceId, rpcId, method, params }: Command) {
      const child = directory.find(deviceId);
      const gateway = child?.parentDeviceId ? directory.find(child.parentDeviceId) : undefined;
      if (!child?.childName || gateway === undefined || !sessions.isReachable(child)) return false;
      return sendToGateway(gateway, { device: child.childName, data: { id: rpcId, method, params } });
    },
    keepsFor: (gatewayId) => deps.mqtt().keepsMessages(gatewayId, GATEWAY_COMMANDS),
  };
}

/** Returns the child and command in a message to its gateway; undefined for a child that has another gateway by now. */
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
