import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { ProfilesModule } from "../profiles/profiles.module.ts";
import { deliveriesRoutes } from "./deliveries.routes.ts";
import { createDeliveriesService } from "./deliveries.service.ts";
import { PipelineEngine } from "./pipeline-engine.ts";
import { createPipelineNames, createPipelinesRepository } from "./pipelines.repository.ts";
import { pipelinesRoutes } from "./pipelines.routes.ts";
import { createPipelinesService, sealStoredSteps } from "./pipelines.service.ts";

/** Creates the data pipelines. If switched off, they can be edited and read but change nothing. */
export function createPipelinesModule(
  { responses, config, database, clock, events, log }: Core,
  modules: {
    readonly devices: DevicesModule;
    readonly profiles: ProfilesModule;
    readonly attributes: AttributesModule;
    readonly outbound: OutboundModule;
  },
) {
  const { devices, devicesRepository, directory } = modules.devices;
  const { profiles } = modules.profiles;
  const { attributes } = modules.attributes;
  const { outbound } = modules.outbound;
  const { transact } = database;
  const repository = createPipelinesRepository(database, clock);
  const engine = new PipelineEngine({
    repository,
    deviceTypeOf: ({ deviceId }) => devicesRepository.find(deviceId)?.deviceType,
    attribute: ({ deviceId }, scope, key, onText) => attributes.valueOf(deviceId, scope, key, onText),
    isEnabled: config.data_pipelines_enabled,
    transact,
    clock,
    events,
    log: log.child("pipelines"),
  });
  engine.subscribe();
  const pipelines = createPipelinesService({
    repository,
    engine,
    deviceOf: (principal, deviceId) => directory.find(devices.get(principal, deviceId).deviceId),
    ensureInTenant(principal, { deviceIds = [], profileIds = [] }) {
      devices.ensureAllVisible(principal, deviceIds);
      for (const profileId of profileIds) profiles.ensure(principal.tenantId, profileId);
    },
    outbound,
    transact,
    events,
    clock,
  });
  const deliveries = createDeliveriesService({ repository, outbound });
  return {
    engine,
    names: createPipelineNames(database),
    routes: (auth: AuthPlugin) => [
      pipelinesRoutes({ pipelines, responses, auth }),
      deliveriesRoutes({ deliveries, responses, auth }),
    ],
    parts: [
      {
        name: "data pipelines",
        start() {
          transact(() => repository.changeWebhookSteps((steps) => sealStoredSteps(steps, outbound)));
          engine.start();
        },
        stop: () => engine.stop(),
      },
    ],
  };
}

export type PipelinesModule = ReturnType<typeof createPipelinesModule>;
