import { join } from "node:path";
import type { DeviceId } from "../../lib/core/ids.ts";
import { HOUR_MS, MIB } from "../../lib/core/units.ts";
import type { Health } from "../../platform/core/health.ts";
import { listHotLogs } from "../../platform/database/hot-log-names.ts";
import { DATABASE_NAMES } from "../../platform/files/inventory.ts";
import type { InventoryKeeper } from "../../platform/files/inventory-keeper.ts";
import { targetOf } from "../../platform/files/misplaced-files.ts";
import type { BodySpace } from "../../platform/load/body-space.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { BackupsService } from "../backups/backups.service.ts";
import type { Faults } from "../faults/faults.service.ts";
import type { IngestStats } from "../ingest/ingest.service.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { UplinkTotals } from "../uplinks/uplinks.types.ts";
import { DiskTrend, SPAN_MS_MAX } from "./disk-trend.ts";
import {
  EventLoopDelay,
  ProcessorLoad,
  readBytesWritten,
  readMemoryShare,
  readTemperature,
} from "./host-readings.ts";
import type { SystemRepository } from "./system.repository.ts";

/** Points of a week, with a sample per ten minutes. */
const RECALLED_POINTS = 1_008;
const SECONDS_PER_MINUTE = 60;

/** Numbers of MQTT clients and connections. */
export interface MqttCounts {
  readonly connections: number;
  readonly sockets: number;
  readonly messagesIn: number;
  readonly messagesOut: number;
  readonly messagesDropped: number;
  readonly refusedConnections: number;
}

export interface GatewaySources {
  readonly repository: SystemRepository;
  readonly store: Pick<TelemetryStore, "committed" | "query">;
  readonly ingest: { readonly stats: IngestStats };
  readonly faults: Pick<Faults, "refusedTotal" | "counts">;
  readonly responses: Pick<ResponseSpace, "used" | "refusals">;
  readonly bodySpace: Pick<BodySpace, "used" | "refusals">;
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number };
  readonly backups: Pick<BackupsService, "status">;
  readonly mqtt: { stats(): MqttCounts };
  readonly uplinks: () => UplinkTotals;
  readonly health: Health;
  readonly inventory: Pick<InventoryKeeper, "losses" | "checkedAt">;
  readonly dataPath: string;
  readonly clock: Clock;
}

/** Returns the bytes of a database and its logs. */
export function databaseBytes(dataPath: string, name: string): number {
  const sizeOf = (path: string) => targetOf(path)?.size ?? 0;
  const path = join(dataPath, `${name}.db`);
  const logs = name === "telemetry" ? listHotLogs(dataPath) : [];
  return [path, `${path}-wal`, ...logs.map((log) => join(dataPath, log))].reduce(
    (sum, file) => sum + sizeOf(file),
    0,
  );
}

export type Values = Record<string, number | boolean>;

const round = (value: number, decimals = 1) => Number(value.toFixed(decimals));

/** Measurements of the gateway itself, as telemetry. Rates are means since the previous reading. */
export class GatewayReadings {
  readonly #sources: GatewaySources;
  readonly #load = new ProcessorLoad();
  readonly #trend = new DiskTrend();
  readonly delay = new EventLoopDelay();
  readonly #wallStart: number;
  readonly #monotonicStart: number;
  #offset = 0;
  #previous: { time: number; counts: Readonly<Record<string, number>> } | undefined;

  constructor(sources: GatewaySources) {
    this.#sources = sources;
    this.#wallStart = sources.clock.now();
    this.#monotonicStart = sources.clock.monotonic();
  }

  /** Seconds by which the clock was set since startup; positive if forward. */
  get clockOffsetSeconds(): number {
    const { clock } = this.#sources;
    return (clock.now() - this.#wallStart - (clock.monotonic() - this.#monotonicStart)) / 1_000;
  }

  /** Reads the free space stored by earlier runs, so that the trend of the disk continues after a restart. */
  async recall(deviceId: DeviceId): Promise<void> {
    const { store, clock } = this.#sources;
    const now = clock.now();
    const [response] = await store.query({
      deviceIds: [deviceId],
      keys: ["disk_free_mb"],
      from: now - SPAN_MS_MAX,
      to: now,
      aggregation: "min",
      maxDataPoints: RECALLED_POINTS,
    });
    const points = [...(response?.series[0]?.points ?? [])];
    const samples = points.map(({ ts, value }) => ({
      time: clock.monotonic() - (now - ts),
      free: Number(value) * MIB,
    }));
    this.#trend.seed(samples.filter(({ free }) => Number.isFinite(free)));
  }

  read(): Values {
    return { ...this.#machine(), ...this.#disk(), ...this.#rates(), ...this.#queues(), ...this.#state() };
  }

  #machine(): Values {
    const memory = readMemoryShare();
    const temperature = readTemperature();
    const values = {
      cpu_percent: round(this.#load.read() * 100),
      process_memory_mb: round(process.memoryUsage.rss() / MIB),
      event_loop_p99_ms: round(this.delay.percentile(99)),
      ...(memory !== undefined && { memory_percent: round(memory * 100) }),
      ...(temperature !== undefined && { temperature: round(temperature) }),
    };
    this.delay.reset();
    return values;
  }

  #disk(): Values {
    const { disk, dataPath, clock } = this.#sources;
    const { freeBytes, totalBytes } = disk;
    if (!Number.isFinite(totalBytes)) return {};
    this.#trend.add(clock.monotonic(), freeBytes);
    const days = this.#trend.daysUntilFull();
    return {
      disk_free_mb: Math.round(freeBytes / MIB),
      disk_used_percent: round((1 - freeBytes / totalBytes) * 100),
      ...(days !== undefined && { disk_days_left: round(days) }),
      ...Object.fromEntries(
        DATABASE_NAMES.map((name) => [`${name}_db_mb`, round(databaseBytes(dataPath, name) / MIB, 3)]),
      ),
    };
  }

  #rates(): Values {
    const { responses, ingest, store, faults, clock } = this.#sources;
    const counts = {
      messages_per_second: ingest.stats.messages,
      values_per_second: store.committed.points,
      rejected_per_second: ingest.stats.refused,
      refused_per_minute: faults.refusedTotal * SECONDS_PER_MINUTE,
      refused_responses_per_minute:
        responses.refusals.reduce((sum, { count }) => sum + count, 0) * SECONDS_PER_MINUTE,
      written_kb_per_second: (readBytesWritten() ?? 0) / 1_024,
    };
    const time = clock.monotonic();
    const previous = this.#previous;
    this.#previous = { time, counts };
    if (previous === undefined || time <= previous.time) return {};
    const seconds = (time - previous.time) / 1_000;
    return Object.fromEntries(
      Object.entries(counts).map(([name, value]) => [
        name,
        round((value - (previous.counts[name] ?? 0)) / seconds, 2),
      ]),
    );
  }

  #queues(): Values {
    const { responses, repository, mqtt, uplinks } = this.#sources;
    const { running, failing, lagSeconds, waitingPoints } = uplinks();
    const mails = repository.countMails();
    const deliveries = repository.countDeliveries();
    return {
      mails_waiting: mails.get("QUEUED") ?? 0,
      mails_failed: mails.get("FAILED") ?? 0,
      deliveries_waiting: deliveries.get("WAITING") ?? 0,
      deliveries_failed: deliveries.get("DEAD") ?? 0,
      mqtt_connections: mqtt.stats().connections,
      unread_responses_mb: round(responses.used / MIB),
      ...(running > 0 && {
        uplinks_failing: failing,
        uplink_lag_seconds: Math.round(lagSeconds),
        uplink_values_waiting: waitingPoints,
      }),
    };
  }

  /** Returns the seconds by which the clock was set since the previous reading, in either direction. */
  #clockStep(): number {
    const offset = this.clockOffsetSeconds;
    const step = Math.abs(offset - this.#offset);
    this.#offset = offset;
    return step;
  }

  #state(): Values {
    const { backups, health, clock } = this.#sources;
    const { newestGood, problems } = backups.status();
    return {
      clock_step_seconds: round(this.#clockStep()),
      storage_refuses: health.blocking().length > 0,
      backup_overdue: problems.some(({ code }) => code === "backup.overdue"),
      ...(newestGood && { backup_age_hours: round((clock.now() - newestGood.startedAt) / HOUR_MS) }),
    };
  }
}
