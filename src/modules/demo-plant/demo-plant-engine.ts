import { setImmediate } from "node:timers/promises";
import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { createFactory, type Machine } from "../../lib/devices/factory-model.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { Command } from "../commands/commands.types.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { DemoPlant } from "./demo-plant.types.ts";
import { LINES, MACHINES_PER_LINE, profiles } from "./plant-content.ts";

const TICK_MS = 2_000;
const GATEWAY_TICKS = 5;
const HISTORY_MS = 24 * 3_600_000;
const HISTORY_STEP_MS = 60_000;
const HISTORY_BATCH = 240;
/** Time in ms for which a machine is simulated before its first reading, if the plant continues. */
const WARM_UP_MS = 2 * 3_600_000;
const FIRST_FAULT_MS = 10_000;
const FAULT_EVERY_MS = 75_000;
const FAULT_MS = 40_000;
const RESPONSE_MS = 800;
const POLL_MS = 60_000;

interface Run {
  readonly plant: DemoPlant;
  readonly machines: readonly Machine[];
  readonly stop: AbortController;
  ticks: number;
  nextFaultAt: number;
  cancel: () => void;
  /** Number of machines whose history is stored, out of `total`. */
  stored: number;
  total: number;
  isSending: boolean;
  sending: Promise<void>;
  /** Resolves when the history is stored. */
  begun: Promise<void>;
}

interface DemoPlantEngineDeps {
  readonly ingest: Pick<IngestService, "admit" | "readings" | "history">;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  /** Commands, as a device requests and responses them. */
  readonly commands: {
    next(deviceId: DeviceId, ms: number, signal: AbortSignal): Promise<Command | undefined>;
    answered(deviceId: DeviceId, rpcId: number, response: JsonValue): boolean;
  };
  /** Called when the previous day of a machine is stored. */
  readonly onRemembered: (plant: DemoPlant, deviceId: DeviceId) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** Returns a machine's readings until now, on whole minutes, so that it has the same state after a restart. */
function liveUntil(machine: Machine, now: number, ms: number): Reading[] {
  const end = Math.floor(now / HISTORY_STEP_MS) * HISTORY_STEP_MS;
  const readings: Reading[] = [];
  for (let ts = end - ms; ts < end; ts += HISTORY_STEP_MS) readings.push({ ts, values: machine.sample(ts) });
  return readings;
}

/** Simulates the plants of tenants: readings, occasional faults, and responses to commands. */
export class DemoPlantEngine {
  /** Runs by tenant. */
  readonly #runs = new Map<TenantId, Run>();
  #isStopped = false;

  readonly #deps: DemoPlantEngineDeps;

  constructor(deps: DemoPlantEngineDeps) {
    this.#deps = deps;
  }

  start(plants: readonly DemoPlant[]): void {
    for (const plant of plants) this.#launch(plant);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#runs.keys()].map((tenantId) => this.end(tenantId)));
  }

  /** Starts a plant once the tenant's earlier run has ended. Does nothing after `stop`. */
  async run(plant: DemoPlant): Promise<void> {
    await this.end(plant.tenantId);
    if (!this.#isStopped) this.#launch(plant);
  }

  /** Ends the plant of a tenant. Resolves when all its work has ended. */
  async end(tenantId: TenantId): Promise<void> {
    const run = this.#runs.get(tenantId);
    if (run === undefined) return;
    run.stop.abort();
    run.cancel();
    await Promise.all([run.sending, run.begun]);
    if (this.#runs.get(tenantId) === run) this.#runs.delete(tenantId);
  }

  /** Returns the progress of the history, from 0 to 1. */
  progressOf(tenantId: TenantId): number {
    const run = this.#runs.get(tenantId);
    return run === undefined || run.total === 0 ? 1 : run.stored / run.total;
  }

  #launch(plant: DemoPlant): void {
    const { clock, log } = this.#deps;
    const { machines, remembered } = plant.parts;
    const run: Run = {
      plant,
      machines: createFactory(LINES * MACHINES_PER_LINE, 1, {
        machinesPerLine: MACHINES_PER_LINE,
        pace: "always",
      }),
      stop: new AbortController(),
      ticks: 0,
      nextFaultAt: clock.now() + FIRST_FAULT_MS,
      cancel: () => undefined,
      stored: 0,
      total: remembered.length < machines.length ? 1 : 0,
      isSending: false,
      sending: Promise.resolve(),
      begun: Promise.resolve(),
    };
    this.#runs.set(plant.tenantId, run);
    run.begun = this.#begin(run).catch((error) =>
      log.warn("history of the demo plant incomplete", { error }),
    );
  }

  /** Simulates each machine until now, a new one for a whole day; stored while all machines continue. */
  async #begin(run: Run): Promise<void> {
    const { log } = this.#deps;
    const { machines, gateways } = run.plant.parts;
    const days = await this.#liveThrough(run);
    if (run.stop.signal.aborted) return;
    for (const deviceId of [...machines, ...gateways])
      this.#answerCommands(run, deviceId).catch((error) =>
        log.warn("machine of the demo plant receives no commands", { deviceId, error }),
      );
    this.#tick(run);
    run.total = days.length;
    for (const [deviceId, readings] of days) {
      await this.#storeDay(run, deviceId, readings);
      run.stored++;
    }
  }

  /** Returns the readings of a day of each machine whose history is not yet stored. */
  async #liveThrough(run: Run): Promise<Array<[DeviceId, Reading[]]>> {
    const now = this.#deps.clock.now();
    const { machines, remembered } = run.plant.parts;
    const days: Array<[DeviceId, Reading[]]> = [];
    for (const [index, deviceId] of machines.entries()) {
      const machine = run.machines[index];
      if (machine === undefined) continue;
      if (remembered.includes(deviceId)) liveUntil(machine, now, WARM_UP_MS);
      else days.push([deviceId, liveUntil(machine, now, HISTORY_MS)]);
      await setImmediate();
    }
    return days;
  }

  async #storeDay(run: Run, deviceId: DeviceId, readings: readonly Reading[]): Promise<void> {
    const { ingest, onRemembered } = this.#deps;
    for (let index = 0; index < readings.length; index += HISTORY_BATCH) {
      const device = this.#findLiving(deviceId);
      if (device === undefined || run.stop.signal.aborted) return;
      await ingest.history(device, readings.slice(index, index + HISTORY_BATCH));
      await setImmediate();
    }
    if (!run.stop.signal.aborted) onRemembered(run.plant, deviceId);
  }

  #tick(run: Run): void {
    if (run.stop.signal.aborted) return;
    // Slow or refusing storage gets the next reading, not all missed readings.
    if (!run.isSending) {
      run.isSending = true;
      run.sending = this.#readOnce(run).finally(() => {
        run.isSending = false;
      });
    }
    run.cancel = this.#deps.clock.schedule(TICK_MS, () => this.#tick(run));
  }

  /** Sends a reading of each machine, starting with another machine each time, so that under a rate limit none is always last. */
  async #readOnce(run: Run): Promise<void> {
    const now = this.#deps.clock.now();
    this.#breakOne(run, now);
    const { machines, gateways } = run.plant.parts;
    const count = run.machines.length;
    const order = Array.from({ length: count }, (_, index) => (index + run.ticks) % count);
    const sent = order.map((index) =>
      this.#send(machines[index], { ts: now, values: run.machines[index]?.sample(now) ?? {} }),
    );
    if (run.ticks++ % GATEWAY_TICKS === 0)
      for (const gateway of gateways)
        sent.push(this.#send(gateway, { ts: now, values: this.#gatewayValues(run.ticks) }));
    await Promise.all(sent);
  }

  /** Breaks one of the machines whose faults raise an alarm. */
  #breakOne(run: Run, now: number): void {
    const { random } = this.#deps;
    if (now < run.nextFaultAt) return;
    run.nextFaultAt = now + FAULT_EVERY_MS * (0.7 + random() * 0.6);
    const hasRules = (kind: string) =>
      profiles.some(({ deviceType, alarmRules }) => deviceType === kind && alarmRules.length > 0);
    const watched = run.machines.filter(({ kind }) => hasRules(kind));
    watched[Math.floor(random() * watched.length)]?.fail(now + FAULT_MS * (0.8 + random() * 0.5));
  }

  #gatewayValues(ticks: number) {
    const { random } = this.#deps;
    return {
      cpu_temperature: Math.round((48 + 4 * Math.sin(ticks / 90) + random()) * 10) / 10,
      signal: -58 - Math.round(random() * 6),
      uptime: ticks * (TICK_MS / 1000),
    };
  }

  /** Sends one message of a device within the limits of its tenant's plan; each is accepted or refused individually. */
  async #send(deviceId: DeviceId | undefined, reading: Reading): Promise<void> {
    const { ingest, log } = this.#deps;
    const device = this.#findLiving(deviceId);
    if (device === undefined) return;
    try {
      const body = Buffer.from(JSON.stringify(reading.values));
      ingest.admit(device, { source: "generator", where: "demo plant", body });
      await ingest.readings(device, [reading]);
    } catch (error) {
      if (!(error instanceof DomainError)) log.warn("reading of the demo plant lost", { deviceId, error });
    }
  }

  #findLiving(deviceId: DeviceId | undefined): IngestDevice | undefined {
    const device = deviceId === undefined ? undefined : this.#deps.findDevice(deviceId);
    return device?.revoked === true ? undefined : device;
  }

  /** Executes the commands of a machine. */
  async #answerCommands(run: Run, deviceId: DeviceId): Promise<void> {
    const { commands, clock } = this.#deps;
    const { signal } = run.stop;
    while (!signal.aborted) {
      const command = await commands.next(deviceId, POLL_MS, signal);
      if (command === undefined) continue;
      clock.schedule(RESPONSE_MS, () => {
        if (!signal.aborted) commands.answered(deviceId, command.rpcId, { success: true });
      });
    }
  }
}
