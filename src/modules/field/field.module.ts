import type { ResourceStore } from "../../platform/database/resource-store.ts";
import type { CommandsModule } from "../commands/commands.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { FieldKind, FieldProtocol } from "./field.protocol.ts";
import { createFieldRepository, type FieldTables } from "./field.repository.ts";
import { FieldService } from "./field.service.ts";
import { FieldCommands } from "./field-commands.ts";
import { FieldFleet } from "./field-fleet.ts";

export type FieldCore = Pick<Core, "database" | "clock" | "events" | "log">;

export interface FieldModules {
  readonly devices: DevicesModule;
  readonly ingest: IngestModule;
  readonly outbound: OutboundModule;
  readonly commands: CommandsModule;
}

/** Creates the module that reads devices by one protocol. */
export function createFieldModule<Kind extends FieldKind>(
  { database, clock, events, log: root }: FieldCore,
  modules: FieldModules,
  {
    protocol,
    tables,
    store,
  }: {
    readonly protocol: FieldProtocol<Kind>;
    readonly tables: FieldTables;
    readonly store: ResourceStore<Kind["connection"], "connectionId">;
  },
) {
  const { devices, directory } = modules.devices;
  const { ingest } = modules.ingest;
  const { reach } = modules.outbound;
  const { engine: commands, ways } = modules.commands;
  const repository = createFieldRepository(database, tables, { protocol, store });
  const fleet = new FieldFleet({
    protocol,
    repository,
    findDevice: (deviceId) => directory.find(deviceId),
    ingest,
    addresses: reach.addresses,
    onConnected: () => commands.wayOpened(),
    clock,
    random: Math.random,
    events,
    log: root.child(protocol.name),
  });
  fleet.subscribe();
  const { transact } = database;
  const service = new FieldService({ protocol, repository, fleet, devices, transact, clock });
  ways.add(
    protocol.name,
    new FieldCommands({
      protocol,
      unitOfDevice: repository.unitOfDevice,
      runnerOf: (connectionId) => fleet.runnerOf(connectionId),
      answered: (deviceId, rpcId, response) => commands.answered(deviceId, rpcId, response),
    }),
  );
  return {
    service,
    parts: [{ name: `${protocol.label} connections`, start: () => fleet.start(), stop: () => fleet.stop() }],
  };
}
