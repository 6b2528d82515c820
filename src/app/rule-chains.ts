import type { DeviceDirectory } from "../modules/devices/device-directory.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import type { IngestService } from "../modules/ingest/ingest.service.ts";
import { createGeneratorEngine } from "../modules/rule-chains/generator-engine.ts";
import { createRuleChainsRepository } from "../modules/rule-chains/rule-chains.repository.ts";
import {
  createRuleChainsService,
  type RuleChainsService,
} from "../modules/rule-chains/rule-chains.service.ts";
import type { TelemetryStore } from "../modules/telemetry/store/store.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";

/** Wires rule chains, which send made-up telemetry the way that all telemetry goes. */
export function createRuleChains(deps: {
  database: MainDatabase;
  devices: DevicesService;
  directory: DeviceDirectory;
  ingest: IngestService;
  store: TelemetryStore;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}): { ruleChains: RuleChainsService; ruleChainsPart: Part } {
  const { database, directory, ingest, store, clock, log } = deps;
  const repository = createRuleChainsRepository(database);
  const engine = createGeneratorEngine({
    ingest,
    findDevice: (deviceId) => directory.find(deviceId),
    latest: (...asked) => store.latest(...asked),
    onOrphaned: (chain) => ruleChains.pauseOrphaned(chain),
    clock,
    random: Math.random,
    log,
  });
  const ruleChains = createRuleChainsService({ ...deps, repository, engine, transact: database.transact });
  return {
    ruleChains,
    ruleChainsPart: {
      name: "rule chains",
      start: () => engine.start(repository.listActive()),
      stop: () => engine.stop(),
    },
  };
}
