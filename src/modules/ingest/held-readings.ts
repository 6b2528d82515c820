import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { FUTURE_MS_MAX } from "../../lib/time/timestamp.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Problem } from "../../platform/core/health.ts";
import type { Logger } from "../../platform/core/log.ts";
import { parsedTogether } from "../../platform/database/parsed-together.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Part } from "../../platform/process/lifecycle.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { untilSharedWake } from "../../platform/time/periodic.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DomainEvents } from "../events.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { HeldHead, HeldMessage, HeldRepository, HeldSize } from "./held.repository.ts";
import type { IngestDevice, Rejection } from "./ingest.types.ts";

/** Max. messages per device, and their max. size in MiB. */
const PER_DEVICE_MAX = { messages: 10_000, mib: 16 };
const BYTES_MAX = PER_DEVICE_MAX.mib * 1024 * 1024;
const RELEASE_INTERVAL_MS = 10_000;
const RELEASED_PER_STEP = 500;
/** Min. interval in ms between counts: health is queried every second, and counting a million messages takes long. */
const COUNT_INTERVAL_MS = 60_000;

/** Yields the numbers of messages that are stored together. */
function* batchesOf(heads: readonly HeldHead[]): Generator<number[]> {
  for (let rest = heads; rest.length > 0; ) {
    const batch = parsedTogether(rest);
    yield batch.map(({ seq }) => seq);
    rest = rest.slice(batch.length);
  }
}

export interface SplitReadings {
  readonly due: readonly Reading[];
  readonly ahead: readonly Reading[];
}

/** Splits readings into accepted ones and those with timestamps more than a day ahead; undefined if there is nothing to split. */
export function splitAhead(readings: readonly Reading[], now: number): SplitReadings | undefined {
  const isAhead = ({ ts }: Reading) => ts > now + FUTURE_MS_MAX;
  if (!readings.some(isAhead)) return undefined;
  return { due: readings.filter((reading) => !isAhead(reading)), ahead: readings.filter(isAhead) };
}

interface HeldReadingsDeps {
  readonly repository: HeldRepository;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly store: (device: IngestDevice, readings: readonly Reading[]) => Promise<void>;
  readonly onDropped: (device: IngestDevice, rejection: Rejection) => void;
  readonly durable: () => Promise<void>;
  readonly clock: Clock;
  readonly events: Pick<EventBus<DomainEvents>, "emit">;
  readonly log: Logger;
}

/**
 * Readings of acknowledged messages with timestamps more than a day ahead of the gateway's clock. If the clock is behind, they are correct: they
 * are kept on disk and stored automatically when the clock catches up. At most 10,000 messages and 16 MiB per device.
 */
export class HeldReadings implements Part {
  readonly name = "held readings";
  #cancel: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  /** Number and bytes of messages by device, for devices queried so far. */
  readonly #sizes = new Map<DeviceId, HeldSize>();
  /** Total of the host's held readings, and the time of the count (monotonic ms); `undefined` if outdated. */
  #summary: (ReturnType<HeldRepository["summary"]> & { countedAt: number }) | undefined;

  readonly #deps: HeldReadingsDeps;

  constructor(deps: HeldReadingsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#cancel = this.#deps.clock.schedule(untilSharedWake(this.#deps.clock, RELEASE_INTERVAL_MS), () => {
      this.#running = this.#release()
        .catch((error) => this.#deps.log.warn("held readings could not be stored and are retried", { error }))
        .finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    await this.#running;
    this.#cancel();
  }

  /** Keeps readings. Resolves when they are on disk. */
  hold(device: IngestDevice, readings: readonly Reading[]): Promise<void> {
    const { repository, clock, durable, events } = this.#deps;
    const { tenantId, deviceId } = device;
    const subject = { kind: "device", id: deviceId } as const;
    events.emit("fault.occurred", { ...detail("fault.readings_held"), source: "held", tenantId, subject });
    const bytes = Buffer.byteLength(JSON.stringify(readings));
    const size = this.#makeRoom(device, bytes);
    const dueAt = Math.max(...readings.map(({ ts }) => ts)) - FUTURE_MS_MAX;
    repository.insert({ deviceId, dueAt, readings, receivedAt: clock.now() });
    this.#sizes.set(deviceId, { messages: size.messages + 1, bytes: size.bytes + bytes });
    if (this.#summary?.messages === 0) this.#summary = undefined;
    return durable();
  }

  /** Drops the oldest messages of a device until a new one fits. Returns the size of the rest. */
  #makeRoom(device: IngestDevice, bytes: number): HeldSize {
    const { repository, onDropped } = this.#deps;
    const { deviceId } = device;
    let size = this.#sizes.get(deviceId) ?? repository.sizeOf(deviceId);
    const isFull = () => size.messages >= PER_DEVICE_MAX.messages || size.bytes + bytes > BYTES_MAX;
    let count = 0;
    // Usually, dropping one message is enough. A large message may need the space of thousands of small messages.
    for (let limit = 1; isFull() && size.messages > 0; limit = RELEASED_PER_STEP) {
      const dropped: number[] = [];
      const heads = repository.listOf(deviceId, limit);
      if (heads.length === 0) size = { messages: 0, bytes: 0 };
      for (const oldest of heads) {
        if (!isFull()) break;
        dropped.push(oldest.seq);
        size = { messages: size.messages - 1, bytes: size.bytes - oldest.bytes };
      }
      repository.delete(dropped);
      count += dropped.length;
    }
    if (count > 0)
      onDropped(device, {
        source: "mqtt",
        where: "held",
        code: "telemetry.held_dropped",
        params: { max: PER_DEVICE_MAX.messages, mib: PER_DEVICE_MAX.mib },
        count,
      });
    return size;
  }

  /** Returns a problem if devices of the host report times ahead of the gateway's clock. */
  problem(): Problem | undefined {
    const { repository, clock } = this.#deps;
    const now = clock.monotonic();
    if (this.#summary === undefined || now - this.#summary.countedAt >= COUNT_INTERVAL_MS)
      this.#summary = { ...repository.summary(), countedAt: now };
    const { messages, devices } = this.#summary;
    return messages === 0
      ? undefined
      : { severity: "WARNING", ...detail("system.clock_behind", { messages, devices }) };
  }

  summaryOf(deviceId: DeviceId): ReturnType<HeldRepository["summaryOf"]> {
    return this.#deps.repository.summaryOf(deviceId);
  }

  /** Stores all held readings of a device, regardless of the clock. */
  async storeNow(deviceId: DeviceId): Promise<void> {
    const { repository } = this.#deps;
    for (let batch = repository.listOf(deviceId, RELEASED_PER_STEP); batch.length > 0; ) {
      await this.#store(batch);
      batch = repository.listOf(deviceId, RELEASED_PER_STEP);
    }
  }

  discard(deviceId: DeviceId): void {
    this.#deps.repository.deleteOf(deviceId);
    this.#sizes.delete(deviceId);
    this.#summary = undefined;
  }

  async #release(): Promise<void> {
    const { repository, clock } = this.#deps;
    for (;;) {
      const due = repository.listDue(clock.now(), RELEASED_PER_STEP);
      if (due.length === 0) return;
      await this.#store(due);
    }
  }

  /** Stores before deleting: a crash in between stores the same values again, which changes nothing. */
  async #store(heads: readonly HeldHead[]): Promise<void> {
    const { repository } = this.#deps;
    for (const seqs of batchesOf(heads)) {
      await Promise.all(repository.read(seqs).map((message) => this.#storeOne(message)));
      repository.delete(seqs);
      this.#summary = undefined;
      await workShare.next();
    }
  }

  /** @throws DomainError `unavailable` while nothing can be stored. Permanently refused readings are logged */
  async #storeOne({ deviceId, readings }: HeldMessage): Promise<void> {
    const device = this.#deps.directory.find(deviceId);
    this.#sizes.delete(deviceId);
    if (device === undefined) return;
    try {
      await this.#deps.store(device, readings);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === "unavailable") throw error;
      this.#deps.log.warn("held readings refused", { deviceId, error });
    }
  }
}
