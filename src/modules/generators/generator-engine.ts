import { DomainError, detail, inEnglish, toText, unavailable } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { LatestSnapshot, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { Generator } from "./generators.resource.ts";
import { devicesOf, type GeneratorActivity, isRunning } from "./generators.types.ts";
import { createMetricValues } from "./metric-values.ts";

interface GeneratorEngineDeps {
  readonly ingest: Pick<IngestService, "admit" | "readings">;
  readonly findDevice: (deviceId: DeviceId) => IngestDevice | undefined;
  readonly latest: TelemetryStore["latestScalars"];
  /** Called when all devices of a generator were deleted. */
  readonly onOrphaned: (generator: Generator) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

type Values = ReadonlyArray<{ readonly key: string; readonly next: (ts: number) => number }>;

/** Run of a generator from its start or change until its end. */
interface Run {
  readonly generator: Generator;
  readonly intervalMs: number;
  /** Values by device. */
  values: ReadonlyMap<DeviceId, Values>;
  isOver: boolean;
  cancel: () => void;
  /** Monotonic time of the next reading. */
  dueAt: number;
  /** Resolves when all its work has ended. */
  busy: Promise<void>;
  isSending: boolean;
}

/** Reading of each device of a generator. */
interface Round {
  readonly ts: number;
  /** Commits of the readings. */
  readonly committed: Set<Promise<void>>;
  found: number;
  sent: number;
  failed: number;
}

type Activity = { -readonly [Field in keyof GeneratorActivity]: GeneratorActivity[Field] };

/**
 * Sends readings of active generators, each on its own grid of monotonic time. Readings that could not be sent in time (sleeping or overloaded
 * gateway, clock jump, slow storage) are skipped. Only stored data is kept: after a restart, walks and counters continue from the newest value, and
 * the grid from the newest reading.
 */
export class GeneratorEngine {
  /** Runs by generator. */
  readonly #runs = new Map<string, Run>();
  /** Activity of generators by id, kept while a generator is paused. */
  readonly #activities = new Map<string, Activity>();
  #isStopped = true;

  readonly #deps: GeneratorEngineDeps;

  constructor(deps: GeneratorEngineDeps) {
    this.#deps = deps;
  }

  /** Resumes generators after a restart. */
  start(generators: readonly Generator[]): void {
    this.#isStopped = false;
    for (const generator of generators) this.#begin(generator, true);
  }

  /** Resolves when all work has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#runs.keys()].map((id) => this.#end(id)));
  }

  /** Applies the changed generator; an active one sends immediately. */
  changed(generator: Generator): void {
    if (isRunning(generator) && !this.#isStopped) {
      this.#begin(generator, false);
      return;
    }
    void this.#end(generator.id);
    const activity = this.#activities.get(generator.id);
    if (activity !== undefined) activity.lastError = activity.lastErrorAt = null; // has ended with its subject
  }

  removed(id: string): void {
    void this.#end(id);
    this.#activities.delete(id);
  }

  tenantRemoved(tenantId: TenantId): void {
    for (const { generator } of [...this.#runs.values()])
      if (generator.tenantId === tenantId) this.removed(generator.id);
  }

  /** Returns a generator's activity since startup; `undefined` if there was none. */
  activityOf(id: string): GeneratorActivity | undefined {
    return this.#activities.get(id);
  }

  /** Ends a generator's run; resolves when all its work has ended. */
  #end(id: string): Promise<void> {
    const run = this.#runs.get(id);
    if (run === undefined) return Promise.resolve();
    run.isOver = true;
    run.cancel();
    this.#runs.delete(id);
    return run.busy;
  }

  #begin(generator: Generator, isResumed: boolean): void {
    const { log } = this.#deps;
    const ended = this.#end(generator.id);
    const run: Run = {
      generator,
      intervalMs: generator.config.intervalSeconds * 1000,
      values: new Map(),
      isOver: false,
      cancel: () => undefined,
      dueAt: 0,
      busy: Promise.resolve(),
      isSending: false,
    };
    this.#runs.set(generator.id, run);
    run.busy = ended
      .then(() => this.#prepare(run, isResumed))
      .catch((error) => log.error("starting a generator failed", { generator: generator.id, error }));
  }

  async #prepare(run: Run, isResumed: boolean): Promise<void> {
    const { clock } = this.#deps;
    const { generator, intervalMs } = run;
    const newest = await this.#newestOf(generator);
    if (run.isOver) return;
    run.values = this.#valuesOf(generator, newest);
    const lastTs = Math.max(0, ...newest.values().map(({ ts }) => ts));
    // A clock that was ahead must not delay it by more than an interval.
    const waitMs = isResumed ? Math.min(Math.max(0, lastTs + intervalMs - clock.now()), intervalMs) : 0;
    run.dueAt = clock.monotonic() + waitMs;
    run.cancel = clock.schedule(waitMs, () => this.#tick(run));
  }

  /** Returns the newest values of a generator's keys, by device. */
  async #newestOf(generator: Generator): Promise<ReadonlyMap<DeviceId, LatestSnapshot>> {
    try {
      const keys = generator.config.metrics.map(({ key }) => key);
      const newest = new Map<DeviceId, LatestSnapshot>();
      for await (const snapshots of this.#deps.latest(devicesOf(generator), keys))
        for (const snapshot of snapshots) newest.set(snapshot.deviceId, snapshot);
      return newest;
    } catch (error) {
      this.#deps.log.warn("newest readings of a generator unreadable, starting over", {
        generator: generator.id,
        error,
      });
      return new Map();
    }
  }

  #valuesOf(generator: Generator, newest: ReadonlyMap<DeviceId, LatestSnapshot>) {
    const { random } = this.#deps;
    const { metrics, intervalSeconds } = generator.config;
    const deviceIds = devicesOf(generator);
    return new Map(
      deviceIds.map((deviceId, index) => {
        const existing = newest.get(deviceId)?.values;
        const offset = index / deviceIds.length;
        const values = metrics.map((metric) => {
          const value =
            existing !== undefined && Object.hasOwn(existing, metric.key) ? existing[metric.key] : undefined;
          const last = typeof value === "number" ? value : undefined;
          return {
            key: metric.key,
            next: createMetricValues(metric, { intervalSeconds, offset, last, random }),
          };
        });
        return [deviceId, values] as const;
      }),
    );
  }

  #tick(run: Run): void {
    if (run.isOver) return;
    if (run.isSending) this.#noteError(run, unavailable("generator.slow"));
    else this.#sendRound(run);
    if (run.isOver) return;
    const { clock } = this.#deps;
    const now = clock.monotonic();
    const late = now - run.dueAt;
    run.dueAt += run.intervalMs * (Math.max(0, Math.floor(late / run.intervalMs)) + 1); // timers may be a little early
    run.cancel = clock.schedule(Math.max(0, run.dueAt - now), () => this.#tick(run));
  }

  #sendRound(run: Run): void {
    run.isSending = true;
    run.busy = this.#send(run)
      .catch((error) => this.#noteError(run, error))
      .finally(() => {
        run.isSending = false;
      });
  }

  /** Sends one reading of each device. */
  async #send(run: Run): Promise<void> {
    const round: Round = {
      ts: this.#deps.clock.now(),
      committed: new Set(),
      found: 0,
      sent: 0,
      failed: 0,
    };
    for (const [deviceId, values] of run.values) {
      await workShare.pause();
      if (run.isOver) break;
      this.#sendFor(run, round, { deviceId, values });
    }
    if (round.found === 0 && !run.isOver) this.#deps.onOrphaned(run.generator);
    await Promise.all(round.committed);
    if (round.sent > 0) this.#noteSent(run, round);
  }

  /** Sends values through `ingest` like messages of devices, so that the plan's limits apply to generators, too. */
  #sendFor(run: Run, round: Round, to: { deviceId: DeviceId; values: Values }): void {
    const { findDevice, ingest } = this.#deps;
    const device = findDevice(to.deviceId);
    if (device === undefined || device.revoked) return;
    round.found++;
    const telemetry: Record<string, TelemetryValue> = Object.create(null);
    for (const { key, next } of to.values) telemetry[key] = next(round.ts);
    try {
      const body = Buffer.from(JSON.stringify(telemetry));
      ingest.admit(device, { source: "generator", where: `generator ${run.generator.name}`, body });
      round.committed.add(ingest.readings(device, [{ ts: round.ts, values: telemetry }]));
      round.sent++;
    } catch (error) {
      round.failed++;
      this.#noteError(run, error);
    }
  }

  #noteSent({ generator }: Run, { ts, sent, failed }: Round): void {
    const activity = this.#ensureActivity(generator.id);
    activity.readings += sent;
    activity.lastReadingAt = ts;
    if (failed > 0) return;
    activity.lastError = null;
    activity.lastErrorAt = null;
  }

  #noteError({ generator }: Run, error: unknown): void {
    const activity = this.#ensureActivity(generator.id);
    activity.refused++;
    const text = error instanceof DomainError ? toText(error) : detail("generator_error.not_stored");
    // Logged once while it lasts, because a full disk must not fill the log.
    if (activity.lastError?.code !== text.code)
      this.#deps.log.warn("readings of a generator rejected", {
        generator: generator.id,
        message: inEnglish(text),
        ...(!(error instanceof DomainError) && { error }),
      });
    activity.lastError = text;
    activity.lastErrorAt = this.#deps.clock.now();
  }

  #ensureActivity(id: string): Activity {
    const nothing: Activity = {
      readings: 0,
      refused: 0,
      lastReadingAt: null,
      lastError: null,
      lastErrorAt: null,
    };
    const activity = this.#activities.get(id) ?? nothing;
    this.#activities.set(id, activity);
    return activity;
  }
}
