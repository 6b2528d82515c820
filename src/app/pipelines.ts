import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesRepository } from "../modules/devices/devices.repository.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { OutboundService } from "../modules/outbound/outbound.service.ts";
import { createDeliveriesService, type DeliveriesService } from "../modules/pipelines/deliveries.service.ts";
import { createPipelineEngine, type PipelineEngine } from "../modules/pipelines/pipeline-engine.ts";
import { createPipelinesRepository } from "../modules/pipelines/pipelines.repository.ts";
import { createPipelinesService, type PipelinesService } from "../modules/pipelines/pipelines.service.ts";
import type { ProfilesService } from "../modules/profiles/profiles.service.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";

/** Wires data pipelines; switched off, they can be written and read and change nothing. */
export function createPipelines(deps: {
  config: Pick<Config, "data_pipelines_enabled">;
  database: MainDatabase;
  devicesRepository: Pick<DevicesRepository, "find">;
  devices: Pick<DevicesService, "get" | "ensureAllVisible">;
  profiles: Pick<ProfilesService, "ensure">;
  directory: Pick<DeviceDirectory, "find">;
  attributes: AttributesService;
  outbound: OutboundService;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): {
  pipelines: PipelinesService;
  deliveries: DeliveriesService;
  transform: PipelineEngine["apply"];
  pipelinesPart: Part;
} {
  const { database, devicesRepository, attributes, outbound, clock, events, log } = deps;
  const { transact } = database;
  const repository = createPipelinesRepository(database);
  const engine = createPipelineEngine({
    repository,
    deviceTypeOf: ({ deviceId }) => devicesRepository.find(deviceId)?.deviceType,
    attribute: ({ deviceId }, scope, key) => attributes.valueOf(deviceId, scope, key),
    isEnabled: deps.config.data_pipelines_enabled,
    transact,
    clock,
    events,
    log,
  });
  return {
    pipelines: createPipelinesService({
      repository,
      engine,
      deviceOf: (principal, deviceId) => deps.directory.find(deps.devices.get(principal, deviceId).deviceId),
      ensureInTenant(principal, { deviceIds = [], profileIds = [] }) {
        deps.devices.ensureAllVisible(principal, deviceIds);
        for (const profileId of profileIds) deps.profiles.ensure(principal.tenantId, profileId);
      },
      outbound,
      transact,
      clock,
    }),
    deliveries: createDeliveriesService({ repository, outbound }),
    transform: engine.apply,
    pipelinesPart: { name: "data pipelines", start: () => engine.start(), stop: () => engine.stop() },
  };
}
