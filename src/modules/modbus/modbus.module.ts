import type { CommandsModule } from "../commands/commands.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestModule } from "../ingest/ingest.module.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import { createModbusRepository } from "./modbus.repository.ts";
import { modbusConnectionsRoutes, modbusRegisterMapsRoutes, modbusUnitsRoutes } from "./modbus.routes.ts";
import { ModbusService } from "./modbus.service.ts";
import { ModbusCommands } from "./modbus-commands.ts";
import { ModbusFleet } from "./modbus-fleet.ts";

/** Devices that the gateway reads by Modbus: over TCP, or at a serial line. */
export function createModbusModule(
  { database, clock, events, log: root }: Pick<Core, "database" | "clock" | "events" | "log">,
  modules: {
    readonly devices: DevicesModule;
    readonly ingest: IngestModule;
    readonly outbound: OutboundModule;
    readonly commands: CommandsModule;
  },
) {
  const { devices, directory } = modules.devices;
  const { ingest } = modules.ingest;
  const { reach } = modules.outbound;
  const { engine: commands, ways } = modules.commands;
  const repository = createModbusRepository(database, clock);
  const fleet = new ModbusFleet({
    repository,
    findDevice: (deviceId) => directory.find(deviceId),
    ingest,
    addresses: reach.addresses,
    onConnected: () => commands.wayOpened(),
    clock,
    random: Math.random,
    events,
    log: root.child("modbus"),
  });
  fleet.subscribe();
  const { transact } = database;
  const modbus = new ModbusService({ repository, fleet, devices, transact, clock, isHost: reach.isHost });
  ways.add(
    "modbus",
    new ModbusCommands({
      unitOfDevice: repository.unitOfDevice,
      runnerOf: (connectionId) => fleet.runnerOf(connectionId),
      answered: (deviceId, rpcId, answer) => commands.answered(deviceId, rpcId, answer),
    }),
  );
  return {
    routes: (auth: AuthPlugin) => [
      modbusConnectionsRoutes({ modbus, auth }),
      modbusUnitsRoutes({ modbus, auth }),
      modbusRegisterMapsRoutes({ auth }),
    ],
    parts: [{ name: "Modbus connections", start: () => fleet.start(), stop: () => fleet.stop() }],
  };
}
