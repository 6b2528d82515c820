import { invalid, notFound } from "../../lib/core/domain-error.ts";
import { encodeBody } from "../../lib/json/body.ts";
import type { CommandEngine } from "../../modules/commands/command-engine.ts";
import { readResponse } from "../../modules/commands/command-response.ts";
import type { Command, CommandTransport } from "../../modules/commands/commands.types.ts";
import type { DeviceDirectory } from "../../modules/devices/device-directory.ts";
import type { DeviceIngest, IngestSource } from "../../modules/ingest/ingest.types.ts";
import type { Logger } from "../../platform/core/log.ts";
import { listingErrors } from "../connection/listed-errors.ts";
import type { MqttServer } from "../mqtt.types.ts";

const RESPONSE = "v1/devices/me/rpc/response/";

export const commandTopic = (rpcId: number): string => `v1/devices/me/rpc/request/${rpcId}`;

/** Creates the transport of commands over MQTT. */
export function createMqttTransport(deps: {
  mqtt: MqttServer;
  directory: Pick<DeviceDirectory, "find">;
  log: Logger;
}): CommandTransport {
  return {
    send({ deviceId, rpcId, method, params }: Command) {
      const topic = commandTopic(rpcId);
      const mqtt = deps.mqtt;
      if (!mqtt.isListening(deviceId, topic)) return false;
      const payload = encodeBody(deps.directory.find(deviceId)?.payload, { method, params });
      mqtt
        .publishToDevice(deviceId, topic, payload, 1)
        .catch((error) => deps.log.error("command not sent", { deviceId, rpcId, error }));
      return true;
    },
    keepsFor: (deviceId) => deps.mqtt.keepsMessages(deviceId, commandTopic(0)),
  };
}

/** Returns the number at the end of the topic of a command. */
export const rpcIdOf = (topic: string): number => Number(topic.slice(topic.lastIndexOf("/") + 1));

/** Handles responses on `v1/devices/me/rpc/response/{id}`; undefined for any other topic. */
export function createCommandResponses(deps: {
  commands: Pick<CommandEngine, "answered">;
  durable(): Promise<void>;
  ingest: Pick<DeviceIngest, "refuse">;
  source: IngestSource;
}) {
  return listingErrors(deps, (device, topic, bytes) => {
    if (!topic.startsWith(RESPONSE)) return undefined;
    if (!/^\d{1,15}$/.test(topic.slice(RESPONSE.length))) throw invalid("command.topic_invalid");
    const response = readResponse(bytes, device.payload);
    if (!deps.commands.answered(device.deviceId, rpcIdOf(topic), response))
      throw notFound("command.not_sent");
    return deps.durable();
  });
}
