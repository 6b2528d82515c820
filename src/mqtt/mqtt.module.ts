import { encodeBody } from "../lib/body.ts";
import type { DeviceId, TenantId } from "../lib/ids.ts";
import type { Alarm } from "../modules/alarms/alarms.types.ts";
import type { KeyAuthenticator } from "../modules/api-keys/key-authenticator.ts";
import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { CommandEngine } from "../modules/commands/command-engine.ts";
import type { CommandWays } from "../modules/commands/command-ways.ts";
import type { OwnRequests } from "../modules/commands/own-requests.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { TokenSignIn } from "../modules/devices/token-sign-in.service.ts";
import type { Faults } from "../modules/faults/faults.service.ts";
import type { IngestService, TelemetryObserver } from "../modules/ingest/ingest.service.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { LoginIdentitiesService } from "../modules/login-identities/login-identities.service.ts";
import type { Core } from "../modules/module.types.ts";
import type { ClaimingService } from "../modules/provisioning/claiming.service.ts";
import type { ProvisioningService } from "../modules/provisioning/provisioning.service.ts";
import { refusalReporter } from "../modules/report-refusal.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { Reading } from "../modules/telemetry/telemetry.types.ts";
import type { Quotas, QuotasService } from "../modules/tenants/quotas.service.ts";
import type { TenantsService } from "../modules/tenants/tenants.service.ts";
import type { ClientPasswords } from "../platform/client-passwords.ts";
import type { Config } from "../platform/config.ts";
import type { Tls } from "../platform/tls.ts";
import { ApplicationFeed } from "./application-feed.ts";
import { commandTopic, createMqttTransport, rpcIdOf } from "./device-commands.ts";
import { createDeviceMessages } from "./device-messages.ts";
import { DeviceSockets } from "./device-sockets.ts";
import { createGateways } from "./gateways.ts";
import type { MqttQuotas, MqttServer } from "./mqtt.types.ts";
import { createMqttAuthentication } from "./mqtt-authentication.ts";
import { mqttLimits } from "./mqtt-limits.ts";
import { createMqttServer } from "./mqtt-server.ts";
import { createOwnTopics } from "./own-topics.ts";
import { pushSharedAttributes } from "./shared-attributes.ts";
import { SystemTopics } from "./system-topics.ts";
import { GATEWAY_COMMANDS } from "./topics.ts";

const tlsListenerOf = ({ mqtt_tls_host: host, mqtt_tls_port: port }: Config, tls: Tls | undefined) =>
  tls === undefined || port === "off" ? undefined : { host, port, pair: () => tls.current };

const mqttQuotasOf = ({ mqttConnections, mqttSessions, queuedBytes }: Quotas): MqttQuotas => ({
  connections: mqttConnections,
  sessions: mqttSessions,
  queuedBytes,
});

interface MqttModuleDeps {
  readonly quotas: QuotasService;
  readonly tenants: TenantsService;
  readonly version: string;
  readonly devices: DevicesService;
  readonly ingest: IngestService;
  /** Called with the telemetry that is stored. */
  readonly observers: TelemetryObserver[];
  readonly directory: DeviceDirectory;
  readonly faults: Faults;
  readonly logins: LoginIdentitiesService;
  readonly passwords: ClientPasswords;
  readonly provisioning: { readonly provisioning: ProvisioningService; readonly claiming: ClaimingService };
  readonly tokens: TokenSignIn;
  readonly tls: Tls | undefined;
  readonly keys: KeyAuthenticator;
  readonly store: TelemetryStore;
  readonly activity: DeviceActivityTracker;
  readonly attributes: AttributesService;
  readonly commanding: {
    readonly engine: CommandEngine;
    readonly ways: CommandWays;
    readonly ownRequests: OwnRequests;
  };
  readonly openAlarms: (deviceId: DeviceId) => readonly Alarm[];
}

/** Creates what the server publishes to applications: state of devices, and counters of the broker. */
function createFeeds(
  core: Pick<Core, "clock" | "events" | "log">,
  { devices, store, activity, openAlarms, tenants, version }: MqttModuleDeps,
  mqtt: () => MqttServer,
) {
  const activityOf = (deviceId: DeviceId) => activity.get(deviceId);
  const feed = new ApplicationFeed({ ...core, devices, store, mqtt, activityOf, openAlarms });
  const systemTopics = new SystemTopics({ ...core, mqtt, tenants, version });
  feed.subscribe();
  return {
    onTelemetry: (device: IngestDevice, readings: readonly Reading[]) => feed.onTelemetry(device, readings),
    onSubscribed(...subscription: Parameters<ApplicationFeed["onSubscribed"]>) {
      systemTopics.onSubscribed(...subscription);
      void feed.onSubscribed(...subscription);
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

/** Creates what starts and requeues the commands of devices that come and go. */
function createPresence(deps: {
  commands: CommandEngine;
  gateways: ReturnType<typeof createGateways>;
  activity: DeviceActivityTracker;
  mqtt: () => MqttServer;
  sockets: () => DeviceSockets;
}) {
  const { commands, gateways, activity, mqtt, sockets } = deps;
  /** Requeues what a device was sent, unless it is still there in some way and may answer. */
  const left = (deviceId: DeviceId) => {
    if (!sockets().isOpen(deviceId) && !mqtt().isListening(deviceId, commandTopic(0)))
      commands.left(deviceId);
  };
  const observers = {
    onConnected(device: IngestDevice) {
      activity.connected(device);
      gateways.onConnected(device);
    },
    onSubscribed(device: IngestDevice) {
      commands.listening(device.deviceId);
      gateways.onSubscribed(device);
    },
    /** A session is lost, and with it what it kept of commands. */
    onSessionEnded(deviceId: DeviceId) {
      left(deviceId);
      if (!gateways.isOpen(deviceId)) commands.gatewayLeft(deviceId);
    },
  };
  return { left, observers };
}

/** The MQTT server and the WebSockets of devices, and what devices send and receive over them in addition to telemetry: requests, attributes, commands. */
export function createMqttModule(core: Core, deps: MqttModuleDeps) {
  const { config, data, inventory, database, clock, events, ports, log: root } = core;
  const { devices, ingest, directory, activity, attributes, tls } = deps;
  const { engine: commands, ways, ownRequests } = deps.commanding;
  const { provisioning, claiming } = deps.provisioning;
  const log = root.child("mqtt");
  const limits = mqttLimits(config);
  const report = refusalReporter(events);
  const shared = { ingest, attributes, claiming, commands, log };
  const gateways = createGateways({
    ...shared,
    devices,
    directory,
    activity,
    database,
    mqtt: () => mqtt,
    sockets: () => sockets,
    events,
  });
  const { mqttClients, ...ownTopics } = createOwnTopics(core, { ...deps, mqtt: () => mqtt, report });
  ways.setRelay(gateways.relay);
  ways.add("mqtt", createMqttTransport({ mqtt: () => mqtt, directory, log }));
  ways.add("websocket", { send: (command) => sockets.send(command), keepsFor: () => false });
  const messagesOver = createDeviceMessages({ ...shared, ownRequests, gateways, durable: database.durable });
  const messages = messagesOver("mqtt", ({ deviceId, payload }, topic, body) =>
    mqtt.publishToDevice(deviceId, topic, encodeBody(payload, body), 1),
  );
  const socketMessages = messagesOver("ws", async ({ deviceId }, topic, body) =>
    sockets.publish(deviceId, topic, body),
  );
  const presence = { commands, gateways, activity, mqtt: () => mqtt, sockets: () => sockets };
  const { left, observers } = createPresence(presence);
  const sockets: DeviceSockets = new DeviceSockets({
    ingest,
    frameBytesMax: limits.packetBytesMax,
    log,
    onMessage: socketMessages,
    onConnected(device) {
      activity.connected(device);
      commands.listening(device.deviceId);
      gateways.onSocketOpened(device);
    },
    onDisconnected(device) {
      gateways.onSocketClosed(device);
      activity.disconnected(device);
      left(device.deviceId);
    },
  });
  const mqtt: MqttServer = createMqttServer({
    host: config.mqtt_host,
    port: config.mqtt_port === "off" ? undefined : config.mqtt_port,
    tls: tlsListenerOf(config, tls),
    limits,
    quotasOf: (tenantId) => mqttQuotasOf(deps.quotas.of(tenantId as TenantId)), // of a device or an API key
    clock,
    log,
    sessionFile: data.file("mqtt.db"),
    onLoss: (text) => inventory.replace("mqtt.db", text),
    ingest,
    authenticate: createMqttAuthentication({ ...deps, clock, provisioning, mqttClients, report }),
    ...ownTopics.observers,
    onApplicationSubscribed: (...args) => feeds.onSubscribed(...args),
    onMessage(device, topic, body) {
      if (topic === device.telemetryTopic) return ingest.telemetry(device, body, "mqtt");
      // Requests and answers count like any message; what gateways say is counted where it is read.
      if (topic.startsWith("v1/devices/me/")) ingest.admit(device, { source: "mqtt", where: topic, body });
      return messages(device, topic, body);
    },
    onDisconnected(device) {
      gateways.onDisconnected(device);
      activity.disconnected(device);
      left(device.deviceId);
    },
    ...observers,
    onDelivered(device, topic, payload) {
      if (topic === GATEWAY_COMMANDS) gateways.onDelivered(device, payload);
      else commands.delivered(device.deviceId, rpcIdOf(topic));
    },
  });
  inventory.add((stamp) => mqtt.stampSessions(stamp));
  const feeds = createFeeds({ clock, events, log }, deps, () => mqtt);
  tls?.onChange((pair) => mqtt.renewCertificate(pair));
  pushSharedAttributes({ events, mqtt, sockets, directory, log });
  deps.observers.push((device, readings) => feeds.onTelemetry(device, readings));
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
