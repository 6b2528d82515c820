import { DomainError, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { OutboundAddresses } from "../../platform/network/outbound-address.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import { ConnectionRunner } from "./connection-runner.ts";
import type { FieldKind, FieldProtocol } from "./field.protocol.ts";
import type { FieldRepository } from "./field.repository.ts";
import type { ConnectionState, FieldPoint, UnitHealth } from "./field.types.ts";

interface FieldFleetDeps<Kind extends FieldKind> {
  readonly protocol: FieldProtocol<Kind>;
  readonly repository: Pick<
    FieldRepository<Kind>,
    "listEnabled" | "findAcrossTenants" | "findUnit" | "unitsOf"
  >;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  readonly ingest: Pick<IngestService, "admit" | "readings" | "reject">;
  readonly addresses: OutboundAddresses;
  /** Called when a connection has been opened, so that waiting commands can be sent. */
  readonly onConnected: () => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

interface Running<Kind extends FieldKind> {
  readonly tenantId: TenantId;
  readonly runner: ConnectionRunner<Kind>;
  readonly updatedAt: number;
}

/** Runs the enabled connections of a protocol. */
export class FieldFleet<Kind extends FieldKind> {
  readonly #deps: FieldFleetDeps<Kind>;
  /** Keyed by connection id. */
  readonly #running = new Map<string, Running<Kind>>();
  /** Pending stops by connection; the next runner waits for them. */
  readonly #ending = new Map<string, Promise<void>>();
  #isStarted = false;

  constructor(deps: FieldFleetDeps<Kind>) {
    this.#deps = deps;
  }

  /** Subscribes to deletions of devices and tenants. Called once, by the module. */
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

  /** Applies the stored settings of a connection, which reconnects after every change. */
  refresh(connectionId: string): void {
    if (!this.#isStarted) return;
    const { protocol, repository, events } = this.#deps;
    const connection = repository.findAcrossTenants(connectionId);
    const running = this.#running.get(connectionId);
    if (connection?.enabled === true && running?.updatedAt === connection.updatedAt) return;
    this.#end(connectionId);
    if (connection?.enabled === true) this.#begin(connection, repository.unitsOf(connectionId));
    if (connection === undefined)
      events.emit("subject.deleted", { kind: `${protocol.name}_connection`, id: connectionId });
  }

  /** Applies the stored settings of a unit. */
  refreshUnit(connectionId: string, unitId: string): void {
    const runner = this.runnerOf(connectionId);
    const unit = runner && this.#deps.repository.findUnit(unitId);
    if (unit === undefined) runner?.removeUnit(unitId);
    else runner?.setUnit(unit);
  }

  runnerOf(connectionId: string): ConnectionRunner<Kind> | undefined {
    return this.#running.get(connectionId)?.runner;
  }

  stateOf({ connectionId, updatedAt }: Kind["connection"]): ConnectionState {
    return (
      this.runnerOf(connectionId)?.state ?? {
        status: "off",
        since: updatedAt,
        problem: null,
        nextAttemptAt: null,
      }
    );
  }

  healthOf(unit: Kind["unit"]): UnitHealth | undefined {
    return this.runnerOf(unit.connectionId)?.pollerOf(this.#deps.protocol.unitIdOf(unit))?.health;
  }

  #begin(connection: Kind["connection"], units: readonly Kind["unit"][]): void {
    const { protocol, addresses, clock, random, onConnected } = this.#deps;
    const { connectionId, tenantId } = connection;
    const runner = new ConnectionRunner({
      protocol,
      connection,
      units,
      addresses: addresses.of(tenantId),
      store: (unit, points) => this.#store(connection, unit, points),
      onConnected,
      onFailed: (reason, unit) => this.#report(connection, reason, unit),
      clock,
      random,
      log: this.#deps.log,
    });
    this.#running.set(connectionId, { tenantId, runner, updatedAt: connection.updatedAt });
    // Many servers accept only one connection, so the previous connection is closed first.
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

  /** Reports a fault on the unit's device; without a unit, on the connection. */
  #report(connection: Kind["connection"], reason: Text, unit?: Kind["unit"]): void {
    const { connectionId, tenantId, name } = connection;
    const { protocol, events } = this.#deps;
    events.emit("fault.occurred", {
      source: protocol.name,
      tenantId,
      ...(unit === undefined
        ? {
            ...protocol.errors.disconnected(reason),
            subject: { kind: `${protocol.name}_connection`, id: connectionId, name },
            where: protocol.whereOf(connection),
          }
        : {
            ...protocol.errors.readFailed(reason),
            subject: { kind: "device", id: unit.deviceId },
            where: [name, protocol.unitNameOf?.(unit)].filter((part) => part !== undefined).join(" / "),
          }),
    });
  }

  async #store(
    { name }: Kind["connection"],
    { deviceId }: Kind["unit"],
    points: readonly FieldPoint[],
  ): Promise<void> {
    const { protocol, findDevice, ingest, clock } = this.#deps;
    const device = findDevice(deviceId);
    if (device === undefined || device.revoked) return;
    if (points.length === 0) return ingest.readings(device, []);
    const body = Buffer.from(JSON.stringify(points.map(({ key, value }) => [key, value])));
    const origin = { source: "integration", where: `${protocol.label} ${name}` } as const;
    ingest.admit(device, { ...origin, body });
    try {
      const now = clock.now();
      const byTime = Map.groupBy(points, ({ sampledAt }) => sampledAt ?? now);
      await ingest.readings(
        device,
        [...byTime].map(([ts, own]) => ({
          ts,
          values: Object.fromEntries(own.map(({ key, value }) => [key, value])),
        })),
      );
    } catch (error) {
      if (error instanceof DomainError) ingest.reject(device, { ...origin, ...toText(error), sample: body });
      throw error;
    }
  }
}
