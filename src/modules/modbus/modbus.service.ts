import { DomainError } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { defaultSerial } from "../../lib/modbus/modbus-lists.ts";
import { type RegisterRange, readAnswer, readRequest } from "../../lib/modbus/modbus-pdu.ts";
import { newId } from "../../platform/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import { isPortPath } from "../../platform/serial/serial-port.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import {
  modbusDeviceTaken,
  modbusNeedsAllDevices,
  modbusNotConnected,
  modbusPortPath,
  modbusSerialHostOnly,
  modbusTooManyRegisters,
  modbusTooManyUnits,
  modbusUnitNotFound,
} from "./modbus.errors.ts";
import type { ModbusRepository } from "./modbus.repository.ts";
import type { ModbusConnectionRecord, modbusConnectionResource } from "./modbus.resource.ts";
import type {
  ConnectionState,
  ModbusUnit,
  NewUnit,
  RawRead,
  UnitChange,
  UnitHealth,
} from "./modbus.types.ts";
import type { ModbusFleet } from "./modbus-fleet.ts";
import { ensureRegisters } from "./register-checks.ts";
import { errorTextOf } from "./unit-poller.ts";

const UNITS_MAX = 250;
/** Registers of all units of a connection. They are read from the database and planned in one task: 20,000 take under 100 ms. */
const CONNECTION_REGISTERS_MAX = 20_000;

type NewConnection = typeof modbusConnectionResource.$create;
type ConnectionChange = typeof modbusConnectionResource.$update;
type ConnectionFields = Pick<ModbusConnectionRecord, "framing" | "serial" | "tenantId" | "host">;

const connectionDefaults = {
  enabled: true,
  port: 502,
  framing: "TCP",
  serial: null,
  timeoutMs: 2_000,
  pauseMs: 0,
} as const;
const unitDefaults = { unitId: 1, intervalMs: 10_000, wordsMax: 125, gapMax: 8, registers: [] } as const;

const noHealth: UnitHealth = {
  lastReadAt: null,
  lastError: null,
  lastErrorAt: null,
  answered: 0,
  failed: 0,
  values: new Map(),
  refused: new Map(),
};

interface ModbusServiceDeps {
  readonly repository: ModbusRepository;
  readonly fleet: ModbusFleet;
  readonly devices: Pick<DevicesService, "ensureVisible" | "get">;
  readonly transact: MainDatabase["transact"];
  readonly clock: Pick<Clock, "now">;
  /** Returns whether the tenant is that of the gateway's own people, who may use its serial ports. */
  readonly isHost: (tenantId: TenantId) => boolean;
}

/** A unit with the name of its device and what it did. */
export interface ShownUnit {
  readonly unit: ModbusUnit;
  readonly deviceName: string;
  readonly health: UnitHealth;
}

export interface ShownConnection {
  readonly connection: ModbusConnectionRecord;
  readonly units: number;
  readonly state: ConnectionState;
}

/** Manages Modbus connections and their units for people with access to all devices. */
export class ModbusService {
  readonly #deps: ModbusServiceDeps;

  constructor(deps: ModbusServiceDeps) {
    this.#deps = deps;
  }

  list({ tenantId }: Principal): ShownConnection[] {
    return this.#deps.repository.list(tenantId).map((connection) => this.#shown(connection));
  }

  get(principal: Principal, connectionId: string): ShownConnection {
    return this.#shown(this.#find(principal, connectionId));
  }

  create(principal: Principal, input: NewConnection): ShownConnection {
    this.#ensureAllDevices(principal);
    const { repository, transact, fleet } = this.#deps;
    const { tenantId } = principal;
    const fields = this.#withPort({ ...connectionDefaults, ...input, tenantId });
    const connection = transact(() => {
      repository.ensureRoom(tenantId);
      return repository.insert(tenantId, fields);
    });
    fleet.refresh(connection.connectionId);
    return this.#shown(connection);
  }

  update(principal: Principal, connectionId: string, change: ConnectionChange): ShownConnection {
    this.#ensureAllDevices(principal);
    const { repository, transact, fleet } = this.#deps;
    const connection = transact(() => {
      const before = this.#find(principal, connectionId);
      return repository.update(before, this.#withPort({ ...before, ...change }));
    });
    fleet.refresh(connectionId);
    return this.#shown(connection);
  }

  delete(principal: Principal, connectionId: string): void {
    this.#ensureAllDevices(principal);
    this.#deps.repository.delete(this.#find(principal, connectionId));
    this.#deps.fleet.refresh(connectionId);
  }

  units(principal: Principal, connectionId: string): ShownUnit[] {
    this.#ensureAllDevices(principal);
    this.#find(principal, connectionId);
    return this.#deps.repository.unitsOf(connectionId).map((unit) => this.#shownUnit(principal, unit));
  }

  unit(principal: Principal, connectionId: string, modbusUnitId: string): ShownUnit {
    this.#ensureAllDevices(principal);
    return this.#shownUnit(principal, this.#findUnit(principal, connectionId, modbusUnitId));
  }

  createUnit(principal: Principal, connectionId: string, { deviceId, ...input }: NewUnit): ShownUnit {
    this.#ensureAllDevices(principal);
    const { repository, devices, transact, clock } = this.#deps;
    this.#find(principal, connectionId);
    const now = clock.now();
    const unit: ModbusUnit = {
      ...unitDefaults,
      ...input,
      modbusUnitId: newId(),
      connectionId,
      deviceId: devices.ensureVisible(principal, deviceId),
      createdAt: now,
      updatedAt: now,
    };
    ensureRegisters(unit.registers);
    transact(() => {
      if (repository.countUnits(connectionId) >= UNITS_MAX) throw modbusTooManyUnits(UNITS_MAX);
      if (repository.unitOfDevice(unit.deviceId) !== undefined) throw modbusDeviceTaken();
      this.#ensureRegistersFit(unit);
      repository.insertUnit(unit);
    });
    this.#deps.fleet.refreshUnit(unit.connectionId, unit.modbusUnitId);
    return this.#shownUnit(principal, unit);
  }

  updateUnit(
    principal: Principal,
    { connectionId, modbusUnitId }: { connectionId: string; modbusUnitId: string },
    change: UnitChange,
  ): ShownUnit {
    this.#ensureAllDevices(principal);
    const before = this.#findUnit(principal, connectionId, modbusUnitId);
    const unit = { ...before, ...change, updatedAt: this.#later(before.updatedAt) };
    ensureRegisters(unit.registers);
    if (change.registers !== undefined) this.#ensureRegistersFit(unit);
    this.#deps.repository.updateUnit(unit);
    this.#deps.fleet.refreshUnit(unit.connectionId, unit.modbusUnitId);
    return this.#shownUnit(principal, unit);
  }

  deleteUnit(principal: Principal, connectionId: string, modbusUnitId: string): void {
    this.#ensureAllDevices(principal);
    this.#findUnit(principal, connectionId, modbusUnitId);
    this.#deps.repository.deleteUnit(modbusUnitId);
    this.#deps.fleet.refreshUnit(connectionId, modbusUnitId);
  }

  /** Reads registers as they are now. @throws DomainError for a connection that is not open, or a device that does not answer */
  async read(
    principal: Principal,
    connectionId: string,
    { unitId, ...range }: RegisterRange & { readonly unitId: number },
  ): Promise<RawRead> {
    this.#ensureAllDevices(principal);
    this.#find(principal, connectionId);
    const runner = this.#deps.fleet.runnerOf(connectionId);
    if (runner === undefined) throw modbusNotConnected();
    try {
      const values = await runner.perform(async (connection) =>
        readAnswer(range, await connection.request(unitId, readRequest(range))),
      );
      return { area: range.area, address: range.address, values };
    } catch (error) {
      // 409: the state of the device, not a fault of the gateway.
      throw error instanceof DomainError && error.kind === "conflict"
        ? error
        : new DomainError("conflict", errorTextOf(error));
    }
  }

  #find({ tenantId }: Principal, connectionId: string): ModbusConnectionRecord {
    return this.#deps.repository.get(tenantId, connectionId);
  }

  #findUnit(principal: Principal, connectionId: string, modbusUnitId: string): ModbusUnit {
    this.#find(principal, connectionId);
    const unit = this.#deps.repository.findUnit(modbusUnitId);
    if (unit?.connectionId !== connectionId) throw modbusUnitNotFound();
    return unit;
  }

  #shown(connection: ModbusConnectionRecord): ShownConnection {
    const { repository, fleet } = this.#deps;
    return {
      connection,
      units: repository.countUnits(connection.connectionId),
      state: fleet.stateOf(connection),
    };
  }

  #shownUnit(principal: Principal, unit: ModbusUnit): ShownUnit {
    const { devices, fleet } = this.#deps;
    return {
      unit,
      deviceName: devices.get(principal, unit.deviceId).name,
      health: fleet.healthOf(unit) ?? noHealth,
    };
  }

  #ensureAllDevices({ devices }: Principal): void {
    if (devices !== "all") throw modbusNeedsAllDevices();
  }

  /** Returns the connection with the settings of its serial port, if it has one. @throws DomainError for a port that it must not use */
  #withPort<Fields extends ConnectionFields>(connection: Fields): Fields {
    const { framing, serial, tenantId, host } = connection;
    if (framing !== "SERIAL") return { ...connection, serial: null };
    if (!this.#deps.isHost(tenantId)) throw modbusSerialHostOnly();
    if (!isPortPath(host)) throw modbusPortPath();
    return { ...connection, serial: serial ?? defaultSerial };
  }

  #ensureRegistersFit({ connectionId, modbusUnitId, registers }: ModbusUnit): void {
    const others = this.#deps.repository.countOtherRegisters(connectionId, modbusUnitId);
    if (others + registers.length > CONNECTION_REGISTERS_MAX)
      throw modbusTooManyRegisters(CONNECTION_REGISTERS_MAX);
  }

  /** Returns a time that no earlier version has: the fleet tells versions apart by it. */
  #later(updatedAt: number): number {
    return Math.max(this.#deps.clock.now(), updatedAt + 1);
  }
}
