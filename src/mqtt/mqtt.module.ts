import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import { encodeBody } from "../lib/json/body.ts";
import type { AlarmsModule } from "../modules/alarms/alarms.module.ts";
import { refusalReporter } from "../modules/api/report-refusal.ts";
import type { ApiKeysModule } from "../modules/api-keys/api-keys.module.ts";
import type { AttributesModule } from "../modules/attributes/attributes.module.ts";
import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { CommandsModule } from "../modules/commands/commands.module.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DevicesModule } from "../modules/devices/devices.module.ts";
import type { FaultsModule } from "../modules/faults/faults.module.ts";
import type { IngestModule } from "../modules/ingest/ingest.module.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { LoginIdentitiesModule } from "../modules/login-identities/login-identities.module.ts";
import type { Core } from "../modules/module.types.ts";
import type { ProvisioningModule } from "../modules/provisioning/provisioning.module.ts";
import type { StorageModule } from "../modules/telemetry/storage.module.ts";
import type { Reading } from "../modules/telemetry/telemetry.types.ts";
import type { Quotas } from "../modules/tenants/quotas.service.ts";
import type { TenantsModule } from "../modules/tenants/tenants.module.ts";
import type { Config } from "../platform/config/config.ts";
import type { Tls } from "../platform/network/tls.ts";
import { mqttLimits } from "./connection/mqtt-limits.ts";
import type { MqttQuotas, MqttServer } from "./mqtt.types.ts";
import { createMqttServer } from "./mqtt-server.ts";
import { createMqttAuthentication } from "./sign-in/mqtt-authentication.ts";
import { ApplicationFeed } from "./topics/application-feed.ts";
import { commandTopic, createMqttTransport, rpcIdOf } from "./topics/device-commands.ts";
import { createDeviceMessages } from "./topics/device-messages.ts";
import { DeviceSockets } from "./topics/device-sockets.ts";
import { createGateways } from "./topics/gateways.ts";
import { createOwnTopics } from "./topics/own-topics.ts";
import { pushSharedAttributes } from "./topics/shared-attributes.ts";
import { SystemTopics } from "./topics/system-topics.ts";
import { GATEWAY_COMMANDS } from "./topics/topics.ts";

const tlsListenerOf = ({ mqtt_tls_host: host, mqtt_tls_port: port }: Config, tls: Tls | undefined) =>
  tls === undefined || port === "off" ? undefined : { host, port, pair: () => tls.current };

const mqttQuotasOf = ({ mqttConnections, mqttSessions, queuedBytes }: Quotas): MqttQuotas => ({
  connections: mqttConnections,
  sessions: mqttSessions,
  queuedBytes,
});

interface MqttModules {
  readonly tenants: TenantsModule;
  readonly devices: DevicesModule;
  readonly ingest: IngestModule;
  readonly faults: FaultsModule;
  readonly loginIdentities: LoginIdentitiesModule;
  readonly provisioning: ProvisioningModule;
  readonly apiKeys: ApiKeysModule;
  readonly storage: StorageModule;
  readonly attributes: AttributesModule;
  readonly commands: CommandsModule;
  readonly alarms: AlarmsModule;
  readonly tls: Tls | undefined;
}

/** Creates the feeds for applications: state of devices, and counters of the broker. */
function createFeeds(
  core: Pick<Core, "clock" | "events" | "log" | "version">,
  modules: MqttModules,
  mqtt: MqttServer,
) {
  const { version } = core;
  const { devices, activity } = modules.devices;
  const { tenants } = modules.tenants;
  const { store } = modules.storage;
  const { openAlarms } = modules.alarms;
  const activityOf = (deviceId: DeviceId) => activity.get(deviceId);
  const feed = new ApplicationFeed({ ...core, devices, store, mqtt, activityOf, openAlarms });
  const systemTopics = new SystemTopics({ ...core, mqtt, tenants, version });
  feed.subscribe();
  modules.alarms.roomForEvents.connect((tenantId) => feed.roomForEvents(tenantId));
  return {
    onTelemetry: (device: IngestDevice, readings: readonly Reading[]) => feed.onTelemetry(device, readings),
    onSubscribed(...subscription: Parameters<ApplicationFeed["onSubscribed"]>) {
      systemTopics.onSubscribed(...subscription);
      return feed.onSubscribed(...subscription);
    },
    start() {
      feed.start();
      systemTopics.start();
    },
    stop() {
      feed.stop();
      systemTopics.stop();
    },
  };
}

/** Creates the handlers of messages of devices that do not take the fast path of telemetry, over MQTT and WebSocket. */
function createMessages({
  database,
  mqtt,
  sockets,
  ...shared
}: Omit<Parameters<typeof createDeviceMessages>[0], "durable" | "ingest"> & {
  ingest: IngestModule["ingest"];
  database: Pick<Core["database"], "durable">;
  mqtt: MqttServer;
  sockets: DeviceSockets;
}) {
  const { ingest } = shared;
  const messagesOver = createDeviceMessages({ ...shared, durable: database.durable });
  const messages = messagesOver("mqtt", {
    encodingOf: ({ payload }) => payload,
    publish: ({ deviceId, payload }, topic, body) =>
      mqtt.publishToDevice(deviceId, topic, encodeBody(payload, body), 1),
  });
  return {
    onMessage(device: IngestDevice, topic: string, body: Uint8Array) {
      if (topic === device.telemetryTopic) return ingest.telemetry(device, body, "mqtt");
      // Requests and responses count like any message; what gateways say is counted where it is read.
      if (topic.startsWith("v1/devices/me/")) ingest.admit(device, { source: "mqtt", where: topic, body });
      return messages(device, topic, body);
    },
    onSocketMessage: messagesOver("ws", {
      encodingOf: ({ deviceId }) => sockets.encodingOf(deviceId),
      publish: async ({ deviceId }, topic, body) => sockets.publish(deviceId, topic, body),
    }),
  };
}

/** Creates the handlers for connecting and disconnecting devices: their activity, and commands that start or wait again. */
function createPresence(deps: {
  commands: CommandEngine;
  gateways: ReturnType<typeof createGateways>;
  activity: DeviceActivityTracker;
  mqtt: MqttServer;
  sockets: DeviceSockets;
}) {
  const { commands, gateways, activity, mqtt, sockets } = deps;
  /** Requeues sent commands of a device, unless it is still connected in some way and may respond. */
  const left = (deviceId: DeviceId) => {
    if (!sockets.isOpen(deviceId) && !mqtt.isListening(deviceId, commandTopic(0))) commands.left(deviceId);
  };
  const observers = {
    onDisconnected(device: IngestDevice) {
      gateways.onDisconnected(device);
      activity.disconnected(device);
      left(device.deviceId);
    },
    onDelivered(device: IngestDevice, topic: string, payload: Uint8Array) {
      if (topic === GATEWAY_COMMANDS) gateways.onDelivered(device, payload);
      else commands.delivered(device.deviceId, rpcIdOf(topic));
    },
    onConnected(device: IngestDevice) {
      activity.connected(device);
      gateways.onConnected(device);
    },
    onSubscribed(device: IngestDevice) {
      commands.listening(device.deviceId);
      gateways.onSubscribed(device);
    },
    /** Handles a lost session, with the commands in its queue. */
    onSessionEnded(deviceId: DeviceId) {
      left(deviceId);
      if (!gateways.isOpen(deviceId)) commands.gatewayLeft(deviceId);
    },
  };
  const onSockets = {
    onConnected(device: IngestDevice) {
      activity.connected(device);
      commands.listening(device.deviceId);
      gateways.onSocketOpened(device);
    },
    onDisconnected(device: IngestDevice) {
      gateways.onSocketClosed(device);
      activity.disconnected(device);
      left(device.deviceId);
    },
  };
  return { observers, onSockets };
}

/** Creates the MQTT server and the WebSockets of devices, with their messages other than telemetry: requests, attributes, commands. */
export function createMqttModule(core: Core, modules: MqttModules) {
  const { config, data, inventory, database, clock, events, ports, log: root, version } = core;
  const { devices, directory, activity, tokens } = modules.devices;
  const { ingest, observers: telemetryObservers } = modules.ingest;
  const { attributes } = modules.attributes;
  const { engine: commands, ways, ownRequests } = modules.commands;
  const { provisioning, claiming } = modules.provisioning;
  const { logins, passwords } = modules.loginIdentities;
  const { faults } = modules.faults;
  const { keys } = modules.apiKeys;
  const { quotas } = modules.tenants;
  const { tls } = modules;
  const log = root.child("mqtt");
  const limits = mqttLimits(config);
  const report = refusalReporter(events);
  const shared = { ingest, attributes, claiming, commands, log };
  const mqtt = createMqttServer({
    host: config.mqtt_host,
    port: config.mqtt_port === "off" ? undefined : config.mqtt_port,
    tls: tlsListenerOf(config, tls),
    limits,
    quotasOf: (tenantId) => mqttQuotasOf(quotas.of(tenantId as TenantId)), // tenant of a device or API key
    clock,
    log,
    sessionFile: data.file("mqtt.db"),
    onLoss: (text) => inventory.replace("mqtt.db", text),
    ingest,
  });
  const sockets = new DeviceSockets({ ingest, frameBytesMax: limits.packetBytesMax, log });
  const servers = { mqtt, sockets };
  const gateways = createGateways({ ...shared, ...servers, devices, directory, activity, database, events });
  const { mqttClients, ...ownTopics } = createOwnTopics(core, {
    mqtt,
    report,
    logins,
    passwords,
    faults,
  });
  ways.setRelay(gateways.relay);
  ways.add("mqtt", createMqttTransport({ mqtt, directory, log }));
  ways.add("websocket", { send: (command) => sockets.send(command), keepsFor: () => false });
  const messages = createMessages({ ...shared, ...servers, ownRequests, gateways, database });
  const { observers, onSockets } = createPresence({ ...servers, commands, gateways, activity });
  const feeds = createFeeds({ clock, events, log, version }, modules, mqtt);
  sockets.handle({ onMessage: messages.onSocketMessage, ...onSockets });
  mqtt.handle({
    authenticate: createMqttAuthentication({
      tokens,
      logins,
      directory,
      provisioning,
      keys,
      mqttClients,
      clock,
      report,
    }),
    ...ownTopics.observers,
    onApplicationSubscribed: feeds.onSubscribed,
    onMessage: messages.onMessage,
    ...observers,
  });
  inventory.addStamper((stamp) => mqtt.stampSessions(stamp));
  tls?.onChange((pair) => mqtt.renewCertificate(pair));
  pushSharedAttributes({ events, mqtt, sockets, directory, log });
  telemetryObservers.push((device, readings) => feeds.onTelemetry(device, readings));
  ports.add("mqtt", () => mqtt.port);
  ports.add("mqttTls", () => mqtt.tlsPort);
  return {
    mqtt,
    sockets,
    routes: ownTopics.routes,
    topics: ownTopics.topics,
    parts: [
      { name: "mqtt", start: () => mqtt.start().then(ownTopics.endOrphans), stop: () => mqtt.stop() },
      { name: "applications", start: () => feeds.start(), stop: () => feeds.stop() },
    ],
  };
}

export type MqttModule = ReturnType<typeof createMqttModule>;
