import type { CommandEngine } from "../commands/command-engine.ts";
import type { CommandWays } from "../commands/command-ways.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { Core } from "../module.types.ts";
import type { OutboundReach } from "../outbound/outbound-reach.types.ts";
import { createModbusRepository } from "./modbus.repository.ts";
import { modbusConnectionsRoutes, modbusRegisterMapsRoutes, modbusUnitsRoutes } from "./modbus.routes.ts";
import { ModbusService } from "./modbus.service.ts";
import { ModbusCommands } from "./modbus-commands.ts";
import { ModbusFleet } from "./modbus-fleet.ts";

/** Devices that the gateway reads by Modbus: over TCP, or at a serial line. */
export function createModbusModule(
  { database, clock, events, log: root }: Pick<Core, "database" | "clock" | "events" | "log">,
  deps: {
    devices: DevicesService;
    directory: DeviceDirectory;
    ingest: IngestService;
    reach: OutboundReach;
    commands: Pick<CommandEngine, "answered" | "wayOpened">;
    ways: Pick<CommandWays, "add">;
  },
) {
  const { devices, directory, ingest, reach, commands } = deps;
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
  deps.ways.add(
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
