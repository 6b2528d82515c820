import { DomainError, detail, textOf } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { RegisterValue } from "../../lib/modbus/register-values.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { OutboundAddresses } from "../../platform/network/outbound-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import { ConnectionRunner } from "./connection-runner.ts";
import type { ModbusRepository } from "./modbus.repository.ts";
import type { ModbusConnectionRecord } from "./modbus.resource.ts";
import type { ConnectionState, ModbusUnit, UnitHealth } from "./modbus.types.ts";

interface ModbusFleetDeps {
  readonly repository: Pick<ModbusRepository, "listEnabled" | "findAcrossTenants" | "findUnit" | "unitsOf">;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  readonly ingest: Pick<IngestService, "admit" | "readings" | "reject">;
  readonly addresses: OutboundAddresses;
  /** Called when a connection has been opened: commands may go out again. */
  readonly onConnected: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

interface Running {
  readonly tenantId: TenantId;
  readonly runner: ConnectionRunner;
  readonly updatedAt: number;
}

/** Runs the connections that are enabled. */
export class ModbusFleet {
  readonly #deps: ModbusFleetDeps;
  /** Keyed by connection id. */
  readonly #running = new Map<string, Running>();
  /** Ends of runners that were stopped, by connection: the next one waits for them. */
  readonly #ending = new Map<string, Promise<void>>();
  #isStarted = false;

  constructor(deps: ModbusFleetDeps) {
    this.#deps = deps;
  }

  /** Follows deletions of devices and tenants. The module calls it once. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.deleted", ({ deviceId }) => {
      for (const { runner } of this.#running.values()) runner.removeDevice(deviceId);
    });
    events.on("tenant.deleted", ({ tenantId }) => {
      for (const [connectionId, running] of [...this.#running])
        if (running.tenantId === tenantId) this.#end(connectionId);
    });
  }

  start(): void {
    this.#isStarted = true;
    for (const { connectionId } of this.#deps.repository.listEnabled()) this.refresh(connectionId);
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    for (const connectionId of [...this.#running.keys()]) this.#end(connectionId);
    await Promise.all(this.#ending.values());
  }

  /** Applies the stored settings of a connection: every change connects anew. */
  refresh(connectionId: string): void {
    if (!this.#isStarted) return;
    const { repository, events } = this.#deps;
    const connection = repository.findAcrossTenants(connectionId);
    const running = this.#running.get(connectionId);
    if (connection?.enabled === true && running?.updatedAt === connection.updatedAt) return;
    this.#end(connectionId);
    if (connection?.enabled === true) this.#begin(connection, repository.unitsOf(connectionId));
    if (connection === undefined)
      events.emit("subject.deleted", { kind: "modbus_connection", id: connectionId });
  }

  /** Applies the stored settings of a unit. */
  refreshUnit(connectionId: string, modbusUnitId: string): void {
    const runner = this.runnerOf(connectionId);
    const unit = runner && this.#deps.repository.findUnit(modbusUnitId);
    if (unit === undefined) runner?.removeUnit(modbusUnitId);
    else runner?.setUnit(unit);
  }

  runnerOf(connectionId: string): ConnectionRunner | undefined {
    return this.#running.get(connectionId)?.runner;
  }

  stateOf({ connectionId, updatedAt }: ModbusConnectionRecord): ConnectionState {
    return (
      this.runnerOf(connectionId)?.state ?? {
        status: "off",
        since: updatedAt,
        problem: null,
        nextAttemptAt: null,
      }
    );
  }

  healthOf({ connectionId, modbusUnitId }: ModbusUnit): UnitHealth | undefined {
    return this.runnerOf(connectionId)?.pollerOf(modbusUnitId)?.health;
  }

  #begin(connection: ModbusConnectionRecord, units: readonly ModbusUnit[]): void {
    const { addresses, clock, random, onConnected } = this.#deps;
    const { connectionId, tenantId } = connection;
    const runner = new ConnectionRunner({
      connection,
      units,
      addresses: addresses.of(tenantId),
      store: (unit, values) => this.#store(connection, unit, values),
      onConnected,
      onFailed: (reason, unit) => this.#report(connection, reason, unit),
      clock,
      random,
      log: this.#deps.log,
    });
    this.#running.set(connectionId, { tenantId, runner, updatedAt: connection.updatedAt });
    // Many servers accept one connection only: the former one has to be closed before.
    const former = this.#ending.get(connectionId) ?? Promise.resolve();
    void former.then(() => this.#running.get(connectionId)?.runner === runner && runner.start());
  }

  #end(connectionId: string): void {
    const running = this.#running.get(connectionId);
    if (running === undefined) return;
    this.#running.delete(connectionId);
    const former = this.#ending.get(connectionId);
    const ended = Promise.all([former, running.runner.stop()]).then(() => {
      if (this.#ending.get(connectionId) === ended) this.#ending.delete(connectionId);
    });
    this.#ending.set(connectionId, ended);
  }

  /** Faults of a unit are listed on its device, faults of the connection on the connection. */
  #report(connection: ModbusConnectionRecord, reason: Text, unit?: ModbusUnit): void {
    const { connectionId, tenantId, name, host, port, serial } = connection;
    this.#deps.events.emit("fault.occurred", {
      source: "modbus",
      tenantId,
      ...(unit === undefined
        ? {
            ...detail("fault.modbus_disconnected", { reason }),
            subject: { kind: "modbus_connection", id: connectionId, name },
            where: serial === null ? `${host}:${port}` : host,
          }
        : {
            ...detail("fault.modbus_read_failed", { reason }),
            subject: { kind: "device", id: unit.deviceId },
            where: `${name} / ${unit.unitId}`,
          }),
    });
  }

  async #store(
    { name }: ModbusConnectionRecord,
    { deviceId }: ModbusUnit,
    values: Readonly<Record<string, RegisterValue>>,
  ): Promise<void> {
    const { findDevice, ingest, clock } = this.#deps;
    const device = findDevice(deviceId);
    if (device === undefined || device.revoked) return;
    const body = Buffer.from(JSON.stringify(values));
    const origin = { source: "integration", where: `Modbus ${name}` } as const;
    ingest.admit(device, { ...origin, body });
    try {
      await ingest.readings(device, [{ ts: clock.now(), values }]);
    } catch (error) {
      if (error instanceof DomainError) ingest.reject(device, { ...origin, ...textOf(error), sample: body });
      throw error;
    }
  }
}
