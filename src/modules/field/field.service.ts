import { DomainError, detail } from "../../lib/core/domain-error.ts";
import { newId } from "../../platform/core/ids.ts";
import type { MainDatabase } from "../../platform/database/database.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { FieldKind, FieldProtocol } from "./field.protocol.ts";
import type { FieldRepository } from "./field.repository.ts";
import type { ConnectionState, UnitHealth } from "./field.types.ts";
import type { FieldFleet } from "./field-fleet.ts";

export const UNITS_MAX = 250;
/** Max. entries of all units of a connection. They are loaded and planned in one task, which takes under 100 ms for 20,000 entries. */
export const CONNECTION_ENTRIES_MAX = 20_000;

/**
 * Returns the error for a failed request to a device: `conflict`, because the cause is the device, not the gateway. Errors for invalid input are
 * kept.
 */
export const conflictOf = (
  error: unknown,
  { failureOf }: Pick<FieldProtocol<FieldKind>, "failureOf">,
): DomainError => {
  if (error instanceof DomainError && (error.kind === "conflict" || error.kind === "invalid")) return error;
  const { text } = failureOf(error);
  // Network errors are parts of sentences.
  const isPart = text.code.startsWith("network_error.");
  return new DomainError("conflict", isPart ? detail("field.unreachable", { reason: text }) : text);
};

const noHealth: UnitHealth = {
  lastReadAt: null,
  lastError: null,
  lastErrorAt: null,
  answered: 0,
  failed: 0,
  values: new Map(),
  refused: new Map(),
  notes: new Map(),
  reported: 0,
};

interface FieldServiceDeps<Kind extends FieldKind> {
  readonly protocol: FieldProtocol<Kind>;
  readonly repository: FieldRepository<Kind>;
  readonly fleet: FieldFleet<Kind>;
  readonly devices: Pick<DevicesService, "ensureVisible" | "get">;
  readonly transact: MainDatabase["transact"];
  readonly clock: Pick<Clock, "now">;
}

/** Unit with its device's name and its health. */
export interface ShownUnit<Kind extends FieldKind> {
  readonly unit: Kind["unit"];
  readonly deviceName: string;
  readonly health: UnitHealth;
}

export interface ShownConnection<Kind extends FieldKind> {
  readonly connection: Kind["connection"];
  readonly units: number;
  readonly state: ConnectionState;
}

/** Manages the connections of a protocol and their units, for users with access to all devices. */
export class FieldService<Kind extends FieldKind> {
  readonly #deps: FieldServiceDeps<Kind>;

  constructor(deps: FieldServiceDeps<Kind>) {
    this.#deps = deps;
  }

  list({ tenantId }: Principal): ShownConnection<Kind>[] {
    return this.#deps.repository.list(tenantId).map((connection) => this.#shown(connection));
  }

  get(principal: Principal, connectionId: string): ShownConnection<Kind> {
    return this.#shown(this.#find(principal, connectionId));
  }

  create(principal: Principal, input: Kind["create"]): ShownConnection<Kind> {
    this.ensureAllDevices(principal);
    const { protocol, repository, transact, fleet } = this.#deps;
    const { tenantId } = principal;
    const fields = protocol.newConnection(input, tenantId);
    const connectionId = transact(() => {
      repository.ensureRoom(tenantId);
      return repository.insert(tenantId, fields).connectionId;
    });
    fleet.refresh(connectionId);
    return this.get(principal, connectionId);
  }

  update(principal: Principal, connectionId: string, change: Kind["update"]): ShownConnection<Kind> {
    this.ensureAllDevices(principal);
    const { protocol, repository, transact, fleet } = this.#deps;
    transact(() => {
      const before = this.#find(principal, connectionId);
      repository.update(before, protocol.changedConnection(before, change));
    });
    fleet.refresh(connectionId);
    return this.get(principal, connectionId);
  }

  delete(principal: Principal, connectionId: string): void {
    this.ensureAllDevices(principal);
    this.#deps.repository.delete(this.#find(principal, connectionId));
    this.#deps.fleet.refresh(connectionId);
  }

  units(principal: Principal, connectionId: string): ShownUnit<Kind>[] {
    this.ensureAllDevices(principal);
    this.#find(principal, connectionId);
    return this.#deps.repository.unitsOf(connectionId).map((unit) => this.#shownUnit(principal, unit));
  }

  unit(principal: Principal, connectionId: string, unitId: string): ShownUnit<Kind> {
    this.ensureAllDevices(principal);
    return this.#shownUnit(principal, this.#findUnit(principal, connectionId, unitId));
  }

  createUnit(
    principal: Principal,
    connectionId: string,
    { deviceId, ...input }: Kind["createUnit"],
  ): ShownUnit<Kind> {
    this.ensureAllDevices(principal);
    const { protocol, repository, devices, transact, clock } = this.#deps;
    this.#find(principal, connectionId);
    const now = clock.now();
    const unit = protocol.newUnit(input, {
      unitId: newId(),
      connectionId,
      deviceId: devices.ensureVisible(principal, deviceId),
      createdAt: now,
      updatedAt: now,
    });
    protocol.ensureEntries(protocol.entriesOf(unit));
    transact(() => {
      if (repository.countUnits(connectionId) >= UNITS_MAX) throw protocol.errors.tooManyUnits(UNITS_MAX);
      if (repository.unitOfDevice(unit.deviceId) !== undefined) throw protocol.errors.deviceTaken();
      this.#ensureEntriesFit(unit);
      repository.insertUnit(unit);
    });
    return this.#refreshed(principal, unit);
  }

  updateUnit(
    principal: Principal,
    { connectionId, unitId }: { connectionId: string; unitId: string },
    change: Kind["updateUnit"],
  ): ShownUnit<Kind> {
    this.ensureAllDevices(principal);
    const { protocol, repository, clock } = this.#deps;
    const before = this.#findUnit(principal, connectionId, unitId);
    // No earlier version has this time: the fleet tells versions apart by it.
    const updatedAt = Math.max(clock.now(), before.updatedAt + 1);
    const unit: Kind["unit"] = { ...before, ...change, updatedAt };
    const entries = protocol.entriesOf(unit);
    protocol.ensureEntries(entries);
    if (entries !== protocol.entriesOf(before)) this.#ensureEntriesFit(unit);
    repository.updateUnit(unit);
    return this.#refreshed(principal, unit);
  }

  deleteUnit(principal: Principal, connectionId: string, unitId: string): void {
    this.ensureAllDevices(principal);
    this.#findUnit(principal, connectionId, unitId);
    this.#deps.repository.deleteUnit(unitId);
    this.#deps.fleet.refreshUnit(connectionId, unitId);
  }

  /** Runs a request between two reads. @throws DomainError if the connection is not open or the device does not answer */
  async perform<Result>(
    principal: Principal,
    connectionId: string,
    task: (line: Kind["line"]) => Promise<Result>,
  ): Promise<Result> {
    this.ensureAllDevices(principal);
    this.#find(principal, connectionId);
    const { protocol, fleet } = this.#deps;
    const runner = fleet.runnerOf(connectionId);
    if (runner === undefined) throw protocol.errors.notConnected();
    try {
      return await runner.perform(task);
    } catch (error) {
      throw conflictOf(error, protocol);
    }
  }

  #find({ tenantId }: Principal, connectionId: string): Kind["connection"] {
    return this.#deps.repository.get(tenantId, connectionId);
  }

  #findUnit(principal: Principal, connectionId: string, unitId: string): Kind["unit"] {
    this.#find(principal, connectionId);
    const unit = this.#deps.repository.findUnit(unitId);
    if (unit?.connectionId !== connectionId) throw this.#deps.protocol.errors.unitNotFound();
    return unit;
  }

  #shown(connection: Kind["connection"]): ShownConnection<Kind> {
    const { repository, fleet } = this.#deps;
    return {
      connection,
      units: repository.countUnits(connection.connectionId),
      state: fleet.stateOf(connection),
    };
  }

  #refreshed(principal: Principal, unit: Kind["unit"]): ShownUnit<Kind> {
    const { protocol, fleet } = this.#deps;
    fleet.refreshUnit(unit.connectionId, protocol.unitIdOf(unit));
    return this.#shownUnit(principal, unit);
  }

  #shownUnit(principal: Principal, unit: Kind["unit"]): ShownUnit<Kind> {
    const { devices, fleet } = this.#deps;
    return {
      unit,
      deviceName: devices.get(principal, unit.deviceId).name,
      health: fleet.healthOf(unit) ?? noHealth,
    };
  }

  /** @throws DomainError `forbidden` for users without access to all devices */
  ensureAllDevices({ devices }: Principal): void {
    if (devices !== "all") throw this.#deps.protocol.errors.needsAllDevices();
  }

  #ensureEntriesFit(unit: Kind["unit"]): void {
    const { protocol, repository } = this.#deps;
    const count = repository.countOtherEntries(unit) + protocol.entriesOf(unit).length;
    if (count > CONNECTION_ENTRIES_MAX) throw protocol.errors.tooManyEntries(CONNECTION_ENTRIES_MAX);
  }
}
