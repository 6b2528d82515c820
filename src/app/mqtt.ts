import { encodeBody } from "../lib/body.ts";
import type { DeviceId, TenantId } from "../lib/ids.ts";
import type { Alarm } from "../modules/alarms/alarms.types.ts";
import type { KeyAuthenticator } from "../modules/api-keys/key-authenticator.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import { type CommandEngine, createCommandEngine } from "../modules/commands/command-engine.ts";
import { createCommandsRepository } from "../modules/commands/commands.repository.ts";
import { createCommandsService } from "../modules/commands/commands.service.ts";
import type { CommandTransport } from "../modules/commands/commands.types.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DeviceSignIn } from "../modules/devices/device-sign-in.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import type { IngestSource } from "../modules/ingest/ingest.types.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { ProvisioningService } from "../modules/provisioning/provisioning.service.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { QuotasService } from "../modules/tenants/quotas.service.ts";
import { createApplicationFeed } from "../mqtt/application-feed.ts";
import {
  commandTopic,
  createCommandAnswers,
  createMqttTransport,
  createTransports,
  rpcIdOf,
} from "../mqtt/device-commands.ts";

import { createDeviceRequests } from "../mqtt/device-requests.ts";
import { DeviceSockets } from "../mqtt/device-sockets.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import { createMqttAuthentication } from "../mqtt/mqtt-authentication.ts";
import { mqttLimits } from "../mqtt/mqtt-limits.ts";
import { createMqttServer } from "../mqtt/mqtt-server.ts";
import { pushSharedAttributes } from "../mqtt/shared-attributes.ts";
import { GATEWAY_COMMANDS } from "../mqtt/topics.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";
import type { Tls } from "../platform/tls.ts";
import { createGateways } from "./gateways.ts";

/** The MQTT server and the WebSockets of devices, and what devices say and hear over them beside telemetry: requests, attributes, commands. */
export function createMqtt(deps: {
  config: Config;
  sessionFile: string;
  quotasOf: QuotasService["of"];
  devices: DevicesService;
  profiles: ProfilesService;
  ingest: IngestService;
  directory: DeviceDirectory;
  signIn: {
    readonly signIn: DeviceSignIn;
    readonly provisioning: ProvisioningService;
    readonly tokens: TokenSignIn;
  };
  tls: Tls | undefined;
  keys: KeyAuthenticator;
  store: Pick<TelemetryStore, "latest">;
  activity: DeviceActivityTracker;
  attributes: AttributesService;
  database: MainDatabase;
  openAlarms: (deviceId: DeviceId) => readonly Alarm[];
  /** Commands to devices of LoRaWAN networks. */
  radio: () => CommandTransport;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { config, database, ingest, directory, activity, attributes, clock, events, log, tls } = deps;
  const limits = mqttLimits(config);
  const now = createSteadyNow(clock);
  const repository = createCommandsRepository(database);
  const gateways = createGateways({
    devices: deps.devices,
    directory,
    activity,
    ingest,
    attributes,
    database,
    mqtt: () => mqtt,
    sockets: () => sockets,
    commands: () => commandEngine,
    events,
    log,
  });
  const commandEngine: CommandEngine = createCommandEngine({
    repository,
    relay: gateways.relay,
    transport: createTransports({
      mqtt: createMqttTransport({ mqtt: () => mqtt, directory, log }),
      sockets: { send: (command) => sockets.send(command), keepsFor: () => false },
      radio: { send: (command) => deps.radio().send(command), keepsFor: (id) => deps.radio().keepsFor(id) },
      directory,
    }),
    clock,
    now,
    events,
    log: log.child("commands"),
  });
  const answersOver = (source: IngestSource) =>
    createCommandAnswers({ answered: commandEngine.answered, durable: database.durable, ingest, source });
  const answers = answersOver("mqtt");
  const asked = { attributes, ingest, limits, clock, log };
  const requests = createDeviceRequests({
    ...asked,
    source: "mqtt",
    publish: ({ deviceId, payload }, topic, body) =>
      mqtt.publishToDevice(deviceId, topic, encodeBody(payload, body), 1),
  });
  const socketAnswers = answersOver("ws");
  const socketRequests = createDeviceRequests({
    ...asked,
    source: "ws",
    publish: async ({ deviceId }, topic, body) => sockets.publish(deviceId, topic, body),
  });
  const sockets: DeviceSockets = new DeviceSockets({
    ingest,
    frameBytesMax: limits.packetBytesMax,
    log,
    onMessage: (device, topic, body) =>
      socketRequests(device, topic, body) ??
      socketAnswers(device, topic, body) ??
      gateways.onMessage("ws", device, { topic, bytes: body }),
    onConnected(device) {
      activity.connected(device);
      commandEngine.listening(device.deviceId);
      gateways.onSocketOpened(device);
    },
    onDisconnected(device) {
      gateways.onSocketClosed(device);
      activity.disconnected(device);
      // Where the device is still there on the other way, what is under way stays so.
      if (!mqtt.isListening(device.deviceId, commandTopic(0))) commandEngine.left(device.deviceId);
    },
  });
  const mqtt: MqttServer = createMqttServer({
    host: config.mqtt_host,
    port: config.mqtt_port,
    tls: tls && { port: config.mqtt_tls_port, pair: () => tls.current },
    limits,
    quotasOf(tenantId) {
      const quotas = deps.quotasOf(tenantId as TenantId); // of a device or an API key
      return {
        connections: quotas.mqttConnections,
        sessions: quotas.mqttSessions,
        queuedBytes: quotas.queuedBytes,
      };
    },
    clock,
    log,
    sessionFile: deps.sessionFile,
    ingest,
    authenticate: createMqttAuthentication({ keys: deps.keys, ...deps.signIn }),
    onApplicationSubscribed: (...given) => void feed.onSubscribed(...given),
    onMessage(device, topic, body) {
      if (topic === device.telemetryTopic) return ingest.telemetry(device, body, "mqtt");
      // Requests and answers count like any message; what gateways say is counted where it is read.
      if (topic.startsWith("v1/devices/me/")) ingest.admit(device, { source: "mqtt", where: topic, body });
      return (
        requests(device, topic, body) ??
        answers(device, topic, body) ??
        gateways.onMessage("mqtt", device, { topic, bytes: body })
      );
    },
    onConnected(device) {
      activity.connected(device);
      gateways.onConnected(device);
    },
    onDisconnected(device) {
      gateways.onDisconnected(device);
      activity.disconnected(device);
      if (!sockets.isOpen(device.deviceId)) commandEngine.left(device.deviceId);
    },
    onSubscribed(device) {
      commandEngine.listening(device.deviceId);
      gateways.onSubscribed(device);
    },
    onDelivered(device, topic, payload) {
      if (topic === GATEWAY_COMMANDS) gateways.onDelivered(device, payload);
      else commandEngine.delivered(device.deviceId, rpcIdOf(topic));
    },
  });
  const feed = createApplicationFeed({
    ...{ devices: deps.devices, store: deps.store, clock, events, log },
    mqtt: () => mqtt,
    activityOf: activity.get,
    openAlarms: deps.openAlarms,
  });
  tls?.onChange((pair) => mqtt.renewCertificate(pair));
  pushSharedAttributes({ events, mqtt, sockets, directory, log });
  const commands = createCommandsService({
    repository,
    engine: commandEngine,
    devices: deps.devices,
    profiles: deps.profiles,
    now,
  });
  return { mqtt, sockets, commands, commandEngine, feed };
}
