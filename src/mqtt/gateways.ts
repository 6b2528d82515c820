import type { DeviceId } from "../lib/ids.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { GatewaySessions } from "../modules/gateways/gateway-sessions.ts";
import { createGatewaysService } from "../modules/gateways/gateways.service.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { ClaimingService } from "../modules/provisioning/claiming.service.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";
import type { DeviceSockets } from "./device-sockets.ts";
import { commandIn, createGatewayRelay } from "./gateway-commands.ts";
import { createGatewayMessages, pushChildAttributes } from "./gateway-messages.ts";
import type { MqttServer } from "./mqtt.types.ts";

/** Gateways and their children, between the MQTT server, the commands and the ingest. */
export function createGateways(deps: {
  devices: DevicesService;
  directory: DeviceDirectory;
  activity: DeviceActivityTracker;
  ingest: IngestService;
  attributes: AttributesService;
  claiming: ClaimingService;
  database: Pick<MainDatabase, "transact" | "durable">;
  mqtt: () => MqttServer;
  sockets: () => DeviceSockets;
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
      answered: (...answer) => commands.answered(...answer),
    },
  });
  pushChildAttributes({ ...ways, events, directory });
  /** A socket that takes the place of another is opened before that one is gone. */
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
    /** A command to a child has been acknowledged. */
    onDelivered(gateway: IngestDevice, payload: Uint8Array) {
      const deviceOf = (rpcId: number) => commands.deviceOf(rpcId);
      const relayed = commandIn(gateway, payload, { deviceOf, directory });
      if (relayed !== undefined) commands.delivered(relayed.deviceId, relayed.rpcId);
    },
  };
}
