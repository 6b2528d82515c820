import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { DeviceActivityTracker } from "../modules/devices/device-activity.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import { createDeviceRequests } from "../mqtt/device-requests.ts";
import type { MqttServer } from "../mqtt/mqtt.types.ts";
import { createMqttAuthentication } from "../mqtt/mqtt-authentication.ts";
import { mqttLimits } from "../mqtt/mqtt-limits.ts";
import { createMqttServer } from "../mqtt/mqtt-server.ts";
import { pushSharedAttributes } from "../mqtt/shared-attributes.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Logger } from "../platform/log.ts";

/** The MQTT server and what devices say and hear over it beside telemetry. */
export function createMqtt(deps: {
  config: Config;
  sessionFile: string;
  ingest: IngestService;
  directory: DeviceDirectory;
  activity: DeviceActivityTracker;
  attributes: AttributesService;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): MqttServer {
  const { config, ingest, directory, activity, attributes, clock, events, log } = deps;
  const limits = mqttLimits(config);
  const requests = createDeviceRequests({
    attributes,
    ingest,
    limits,
    clock,
    log,
    publish: (...message) => mqtt.publishToDevice(...message),
  });
  const mqtt = createMqttServer({
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
        : requests(device, topic, body),
    onConnected: (device) => activity.connected(device),
    onDisconnected: (device) => activity.disconnected(device),
  });
  pushSharedAttributes({ events, mqtt, directory, log });
  return mqtt;
}
