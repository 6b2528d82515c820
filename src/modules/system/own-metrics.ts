import type { Metrics } from "../../platform/core/metrics.ts";
import { DATABASE_NAMES } from "../../platform/files/inventory.ts";
import { isRefusal, reasonOf } from "../faults/refusals.types.ts";
import { databaseBytes, type GatewayReadings, type GatewaySources } from "./gateway-readings.ts";
import { readBytesWritten, readMemoryShare, readOpenFiles, readTemperature } from "./host-readings.ts";

const seconds = (microseconds: number) => microseconds / 1_000_000;

interface Build {
  readonly version: string;
  readonly commit: string;
}

/** Adds metrics of the process and its machine. */
function addProcess(metrics: Metrics, build: Build, readings: GatewayReadings): void {
  metrics.gauge("build_info", "Version and commit; the value is 1.", () => [
    { value: 1, labels: { version: build.version, commit: build.commit } },
  ]);
  metrics.gauge("uptime_seconds", "Time since the process started.", () => process.uptime());
  metrics.counter("process_cpu_seconds", "Processor time of the process.", () => {
    const { user, system } = process.cpuUsage();
    return seconds(user + system);
  });
  metrics.gauge("process_resident_memory_bytes", "Resident memory of the process.", () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge("process_open_fds", "Open file descriptors of the process.", readOpenFiles);
  metrics.counter("process_written_bytes", "Bytes that the process wrote to disks.", readBytesWritten);
  metrics.gauge("event_loop_delay_seconds", "Delay of the event loop within the last minute.", () =>
    [50, 99].map((percent) => ({
      value: readings.delay.percentile(percent) / 1_000,
      labels: { percentile: String(percent) },
    })),
  );
  metrics.gauge("host_memory_used_ratio", "Share of the machine's memory that is in use.", readMemoryShare);
  metrics.gauge("host_temperature_celsius", "Highest temperature of the machine.", readTemperature);
  metrics.gauge(
    "clock_offset_seconds",
    "Seconds by which the clock was set since the start; forward is positive.",
    () => readings.clockOffsetSeconds,
  );
}

/** Adds metrics of the disk and its files. */
function addStorage(metrics: Metrics, { disk, dataPath, store, backups, clock }: GatewaySources): void {
  metrics.gauge("disk_free_bytes", "Free bytes of the data directory's file system.", () => disk.freeBytes);
  metrics.gauge("disk_size_bytes", "Size of the data directory's file system.", () => disk.totalBytes);
  metrics.gauge("database_bytes", "Size of a database with its write-ahead log.", () =>
    DATABASE_NAMES.map((database) => ({ value: databaseBytes(dataPath, database), labels: { database } })),
  );
  metrics.counter("stored_points", "Points that were committed.", () => store.committed.points);
  metrics.counter("commits", "Groups of points that were committed.", () => store.committed.groups);
  metrics.gauge("backup_age_seconds", "Age of the newest good backup.", () => {
    const { newestGood } = backups.status();
    return newestGood && (clock.now() - newestGood.startedAt) / 1_000;
  });
  metrics.gauge("backup_overdue", "1 when the newest good backup is older than asked for.", () =>
    backups.status().problems.some(({ code }) => code === "backup.overdue") ? 1 : 0,
  );
}

/** Adds metrics of throughput and queues. */
function addTraffic(
  metrics: Metrics,
  { responses, bodySpace, ingest, mqtt, faults, repository, health }: GatewaySources,
): void {
  metrics.counter("messages", "Messages with telemetry that were accepted.", () => ingest.stats.messages);
  metrics.counter("rejected_messages", "Messages that were rejected.", () => ingest.stats.refused);
  metrics.counter("refused_credentials", "Credentials that were refused, by edge and reason.", () =>
    faults
      .counts()
      .filter(({ code }) => isRefusal(code))
      .map(({ source, code, count }) => ({ value: count, labels: { edge: source, reason: reasonOf(code) } })),
  );
  metrics.counter("faults", "Faults, by source and code.", () =>
    faults.counts().map(({ source, code, count }) => ({ value: count, labels: { source, code } })),
  );
  metrics.gauge(
    "response_bytes",
    "Bytes of responses that clients have not read yet, and of what live connections keep.",
    () => responses.used,
  );
  metrics.counter("refused_responses", "Refused responses and exports, by limit.", () =>
    responses.refusals.map(({ limit, count }) => ({ value: count, labels: { limit } })),
  );
  metrics.gauge("body_bytes", "Bytes of long bodies of requests in progress.", () => bodySpace.used);
  metrics.counter(
    "refused_bodies",
    "Requests refused because others with long bodies were in progress.",
    () => bodySpace.refusals,
  );
  metrics.gauge("mqtt_clients", "MQTT clients that are signed in.", () => mqtt.stats().connections);
  metrics.gauge("mqtt_connections", "Open MQTT connections, signed in or not.", () => mqtt.stats().sockets);
  metrics.counter("mqtt_received_messages", "Messages from MQTT clients.", () => mqtt.stats().messagesIn);
  metrics.counter("mqtt_sent_messages", "Messages to MQTT clients.", () => mqtt.stats().messagesOut);
  metrics.counter(
    "mqtt_dropped_messages",
    "Messages to MQTT clients that were dropped.",
    () => mqtt.stats().messagesDropped,
  );
  metrics.counter(
    "mqtt_refused_connections",
    "MQTT connections that were refused.",
    () => mqtt.stats().refusedConnections,
  );
  metrics.gauge("devices", "Devices of all tenants.", () => repository.countDevices());
  metrics.gauge("tenants", "Tenants.", () => repository.countTenants());
  const samples = (states: ReadonlyMap<string, number>, names: readonly string[]) =>
    names.map((state) => ({ value: states.get(state) ?? 0, labels: { state: state.toLowerCase() } }));
  metrics.gauge("mails", "Mails in the outbox.", () =>
    samples(repository.countMails(), ["QUEUED", "FAILED", "HELD"]),
  );
  metrics.gauge("deliveries", "Webhooks in the delivery queue.", () =>
    samples(repository.countDeliveries(), ["WAITING", "DEAD"]),
  );
  metrics.gauge("ready", "1 while the gateway takes data.", () => (health.blocking().length === 0 ? 1 : 0));
  metrics.gauge("problems", "Problems of the gateway at the moment; the value is 1.", () =>
    health.problems().map(({ code, severity }) => ({
      value: 1,
      labels: { code, severity: severity.toLowerCase() },
    })),
  );
}

/** Adds metrics of the data directory's files. */
function addFiles(metrics: Metrics, { inventory }: GatewaySources): void {
  metrics.gauge("losses", "Unacknowledged data losses.", () => inventory.losses.length);
  metrics.gauge(
    "data_check_timestamp_seconds",
    "Unix time at which the last check of all files ended.",
    () => (inventory.checkedAt === undefined ? undefined : inventory.checkedAt / 1_000),
  );
}

/** Adds metrics of the uplinks' progress. */
function addUplinks(metrics: Metrics, { uplinks }: GatewaySources): void {
  metrics.gauge("uplinks", "Enabled uplinks.", () => uplinks().running);
  metrics.gauge("uplinks_failing", "Uplinks that cannot send.", () => uplinks().failing);
  metrics.gauge(
    "uplinks_waiting_for_memory",
    "Uplinks that wait for memory, which others hold.",
    () => uplinks().waitingForMemory,
  );
  metrics.gauge(
    "uplink_bytes_in_flight",
    "Bytes of batches that are read or on their way to targets, about.",
    () => uplinks().heldBytes,
  );
  metrics.gauge(
    "uplink_lag_seconds",
    "Time since nothing waited, of the uplink that is furthest behind.",
    () => uplinks().lagSeconds,
  );
  metrics.gauge(
    "uplink_waiting_points",
    "Points that uplinks have not sent, about.",
    () => uplinks().waitingPoints,
  );
  metrics.counter(
    "uplink_batches_set_aside",
    "Staged batches that could not be read.",
    () => uplinks().setAside,
  );
  metrics.counter("uplink_sent_points", "Points that uplinks have sent.", () => uplinks().sentPoints);
}

export function addOwnMetrics(
  metrics: Metrics,
  build: Build,
  { sources, readings }: { sources: GatewaySources; readings: GatewayReadings },
): void {
  addProcess(metrics, build, readings);
  addStorage(metrics, sources);
  addTraffic(metrics, sources);
  addUplinks(metrics, sources);
  addFiles(metrics, sources);
}
