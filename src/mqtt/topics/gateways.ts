import type { DeviceId } from "../../lib/core/ids.ts";
import { decodeBody, encodeBody } from "../../lib/json/body.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { AttributesService } from "../../modules/attributes/attributes.service.ts";
import type { CommandEngine } from "../../modules/commands/command-engine.ts";
import type { Command, CommandRelay } from "../../modules/commands/commands.types.ts";
import type { DeviceActivityTracker } from "../../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../../modules/devices/device-directory.ts";
import type { DevicesService } from "../../modules/devices/devices.service.ts";
import type { DomainEvents } from "../../modules/events.types.ts";
import { GatewaySessions } from "../../modules/gateways/gateway-sessions.ts";
import {
  createGatewaysService,
  type GatewayMessage,
  type GatewaysService,
} from "../../modules/gateways/gateways.service.ts";
import type { IngestService } from "../../modules/ingest/ingest.service.ts";
import type { IngestDevice, IngestSource } from "../../modules/ingest/ingest.types.ts";
import type { ClaimingService } from "../../modules/provisioning/claiming.service.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { MqttServer } from "../mqtt.types.ts";
import type { DeviceSockets } from "./device-sockets.ts";
import { GATEWAY_COMMANDS } from "./topics.ts";

const ATTRIBUTES = "v1/gateway/attributes";
const RESPONSE = "v1/gateway/attributes/response";

/** Connections to a gateway. */
interface GatewayWays {
  readonly mqtt: Pick<MqttServer, "publishToDevice" | "isListening" | "keepsMessages">;
  readonly sockets: Pick<DeviceSockets, "publish" | "isOpen" | "encodingOf">;
  readonly log: Logger;
}

function sendByMqtt({ mqtt, log }: GatewayWays, gateway: IngestDevice, topic: string, body: unknown) {
  mqtt
    .publishToDevice(gateway.deviceId, topic, encodeBody(gateway.payload, body), 1)
    .catch((error) => log.error("gateway not notified", { deviceId: gateway.deviceId, topic, error }));
}

/** Handles messages of gateways on `v1/gateway/…`; undefined for other topics, and for devices that are not gateways. */
function createGatewayMessages(deps: GatewayWays & { gateways: GatewaysService }) {
  const { gateways } = deps;
  /** Responds over the transport of the request. */
  function respond(gateway: IngestDevice, source: IngestSource, body: unknown): void {
    if (source === "ws") deps.sockets.publish(gateway.deviceId, RESPONSE, body);
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
        gateways.request(gateway, message, {
          encoding:
            message.source === "ws" ? deps.sockets.encodingOf(gateway.deviceId) : (gateway.payload ?? "JSON"),
          respond: (body) => respond(gateway, message.source, body),
        }),
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
function pushChildAttributes(
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
    deps.sockets.publish(way.gateway.deviceId, ATTRIBUTES, body);
    sendByMqtt(deps, way.gateway, ATTRIBUTES, body);
  });
}

/** Creates the relay of commands to children through their gateways. */
function createGatewayRelay(
  deps: GatewayWays & {
    directory: Pick<DeviceDirectory, "find">;
    sessions: Pick<GatewaySessions, "isReachable">;
  },
): CommandRelay {
  const { directory, sessions } = deps;
  /** Sends over MQTT or a WebSocket, according to `commandTransport` of the gateway, if set. */
  function sendToGateway(gateway: IngestDevice, body: unknown): boolean {
    const { deviceId, commandTransport } = gateway;
    const mayUse = (way: "MQTT" | "WS") => (commandTransport ?? way) === way;
    if (mayUse("MQTT") && deps.mqtt.isListening(deviceId, GATEWAY_COMMANDS))
      sendByMqtt(deps, gateway, GATEWAY_COMMANDS, body);
    else if (mayUse("WS") && deps.sockets.isOpen(deviceId))
      deps.sockets.publish(deviceId, GATEWAY_COMMANDS, body);
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
    keepsFor: (gatewayId) => deps.mqtt.keepsMessages(gatewayId, GATEWAY_COMMANDS),
  };
}

/** Returns child and command of a message to its gateway; undefined for a child that now has another gateway. */
function commandIn(
  gateway: IngestDevice,
  payload: Uint8Array,
  find: { deviceOf(rpcId: number): DeviceId | undefined; directory: Pick<DeviceDirectory, "find"> },
): { deviceId: DeviceId; rpcId: number } | undefined {
  const body = decodeBody(payload, "AUTO"); // in the encoding of the request, even if the profile has changed
  const rpcId = isJsonObject(body) && isJsonObject(body.data) ? Number(body.data.id) : Number.NaN;
  const deviceId = Number.isSafeInteger(rpcId) ? find.deviceOf(rpcId) : undefined;
  const child = deviceId && find.directory.find(deviceId);
  return child?.parentDeviceId === gateway.deviceId ? { deviceId: child.deviceId, rpcId } : undefined;
}

/** Connects gateways and their children with the MQTT server, commands and ingest. */
export function createGateways(deps: {
  devices: DevicesService;
  directory: DeviceDirectory;
  activity: DeviceActivityTracker;
  ingest: IngestService;
  attributes: AttributesService;
  claiming: ClaimingService;
  database: Pick<MainDatabase, "transact" | "durable">;
  mqtt: MqttServer;
  sockets: DeviceSockets;
  commands: CommandEngine;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { directory, mqtt, sockets, commands, events, log } = deps;
  const ways = { mqtt, sockets, log };
  const sessions = new GatewaySessions({
    activity: deps.activity,
    findDevice: (deviceId) => directory.find(deviceId),
    events,
  });
  sessions.subscribe();
  const gateways = createGatewaysService({
    children: deps.devices.children,
    directory,
    sessions,
    ingest: deps.ingest,
    attributes: deps.attributes,
    claiming: deps.claiming,
    touch: (device) => deps.activity.touch(device),
    transact: deps.database.transact,
    durable: deps.database.durable,
    onReachable: ({ deviceId }) => commands.listening(deviceId),
    commands: {
      deviceOf: (rpcId) => commands.deviceOf(rpcId),
      answered: (...response) => commands.answered(...response),
    },
  });
  pushChildAttributes({ ...ways, events, directory });
  /** Gateways with a WebSocket. A replacing socket is opened before the previous one is closed. */
  const onSockets = new Set<DeviceId>();
  const left = ({ deviceId }: IngestDevice) => {
    if (sessions.closed(deviceId)) commands.gatewayLeft(deviceId);
  };
  const listens = ({ deviceId, role }: IngestDevice) => {
    if (role === "GATEWAY") commands.gatewayListening(deviceId);
  };
  return {
    relay: createGatewayRelay({ ...ways, directory, sessions }),
    onMessage: createGatewayMessages({ ...ways, gateways }),
    onConnected: ({ deviceId }: IngestDevice) => sessions.opened(deviceId),
    onDisconnected: left,
    isOpen: (deviceId: DeviceId) => sessions.isOpen(deviceId),
    onSubscribed: listens,
    onSocketOpened(device: IngestDevice) {
      if (!onSockets.has(device.deviceId)) sessions.opened(device.deviceId);
      onSockets.add(device.deviceId);
      listens(device);
    },
    onSocketClosed(device: IngestDevice) {
      if (onSockets.delete(device.deviceId)) left(device);
    },
    /** Called when a command to a child was acknowledged. */
    onDelivered(gateway: IngestDevice, payload: Uint8Array) {
      const deviceOf = (rpcId: number) => commands.deviceOf(rpcId);
      const relayed = commandIn(gateway, payload, { deviceOf, directory });
      if (relayed !== undefined) commands.delivered(relayed.deviceId, relayed.rpcId);
    },
  };
}
