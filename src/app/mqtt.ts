import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import { createCommandEngine } from "../modules/commands/command-engine.ts";
import { createCommandsRepository } from "../modules/commands/commands.repository.ts";
import { createCommandsService } from "../modules/commands/commands.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { createGatewaySessions } from "../modules/gateways/gateway-sessions.ts";
import { createGatewaysService } from "../modules/gateways/gateways.service.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import { createCommandAnswers, createMqttTransport, rpcIdOf } from "../mqtt/device-commands.ts";
import { createDeviceRequests } from "../mqtt/device-requests.ts";
import { createGatewayMessages, pushChildAttributes } from "../mqtt/gateway-messages.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import { createMqttAuthentication } from "../mqtt/mqtt-authentication.ts";
import { mqttLimits } from "../mqtt/mqtt-limits.ts";
import { createMqttServer } from "../mqtt/mqtt-server.ts";
import { pushSharedAttributes } from "../mqtt/shared-attributes.ts";
import { type Clock, createSteadyNow } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";

/** The MQTT server, and what devices say and hear over it beside telemetry: requests, attributes, commands. */
export function createMqtt(deps: {
  config: Config;
  sessionFile: string;
  devices: DevicesService;
  profiles: ProfilesService;
  ingest: IngestService;
  directory: DeviceDirectory;
  activity: DeviceActivityTracker;
  attributes: AttributesService;
  database: MainDatabase;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { config, database, ingest, directory, activity, attributes, clock, events, log } = deps;
  const limits = mqttLimits(config);
  const now = createSteadyNow(clock);
  const repository = createCommandsRepository(database);
  const commandEngine = createCommandEngine({
    repository,
    transport: createMqttTransport({ mqtt: () => mqtt, directory, log }),
    clock,
    now,
    events,
    log: log.child("commands"),
  });
  const answers = createCommandAnswers({
    answered: commandEngine.answered,
    durable: database.durable,
    ingest,
  });
  const requests = createDeviceRequests({
    attributes,
    ingest,
    limits,
    clock,
    log,
    publish: (...message) => mqtt.publishToDevice(...message),
  });
  const sessions = createGatewaySessions({ activity, events });
  const gateways = createGatewaysService({
    children: deps.devices.children,
    directory,
    sessions,
    ingest,
    attributes,
    touch: activity.touch,
    durable: database.durable,
    onReachable: ({ deviceId }) => commandEngine.listening(deviceId),
  });
  const gatewayMessages = createGatewayMessages({ gateways, mqtt: () => mqtt, directory, log });
  const mqtt: MqttServer = createMqttServer({
    host: config.mqtt_host,
    port: config.mqtt_port,
    limits,
    clock,
    log,
    sessionFile: deps.sessionFile,
    ingest,
    authenticate: createMqttAuthentication({ directory }),
    onMessage: (device, topic, body) =>
      topic === device.telemetryTopic
        ? ingest.telemetry(device, body, "mqtt")
        : (requests(device, topic, body) ??
          answers(device, topic, body) ??
          gatewayMessages(device, topic, body)),
    onConnected(device) {
      activity.connected(device);
      sessions.opened(device.deviceId);
    },
    onDisconnected(device) {
      sessions.closed(device.deviceId);
      activity.disconnected(device);
      commandEngine.left(device.deviceId);
    },
    onSubscribed: (device) => commandEngine.listening(device.deviceId),
    onDelivered: (device, topic) => commandEngine.delivered(device.deviceId, rpcIdOf(topic)),
  });
  pushSharedAttributes({ events, mqtt, directory, log });
  pushChildAttributes({ events, mqtt: () => mqtt, directory, log });
  const commands = createCommandsService({
    repository,
    engine: commandEngine,
    devices: deps.devices,
    profiles: deps.profiles,
    now,
  });
  return { mqtt, commands, commandEngine };
}
