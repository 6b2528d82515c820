import type { DeviceId } from "../../../lib/core/ids.ts";
import type { FairShare } from "../../../platform/load/fair-share.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import type { Reading } from "../../telemetry/telemetry.types.ts";

/** Max. transitions evaluated reading by reading for one message; beyond it, only the state after the last reading counts. */
export const TRANSITIONS_MAX = 1_000;

/** Message of a device, with evaluated and waiting readings. */
export interface EvaluatedMessage {
  readonly device: IngestDevice;
  readonly readings: readonly Reading[];
  /** Index of the next reading. */
  next: number;
  /** Number of alarms raised, cleared or changed so far. */
  transitions: number;
  /** True if an alarm or a count changed. */
  hasWritten: boolean;
  /** Keys whose rules are evaluated only with the last reading; undefined if there are none. */
  left?: ReadonlySet<string>;
  /** Number of readings that were not evaluated one by one. */
  skipped: number;
  /** Index of the last reading per key; created on first use. */
  lastIndexes?: ReadonlyMap<string, number>;
}

/** Returns whether a later reading of the message has the key. */
function hasLaterReading(message: EvaluatedMessage, key: string): boolean {
  if (message.next === message.readings.length) return false;
  message.lastIndexes ??= new Map(
    message.readings.flatMap(({ values }, index) =>
      Object.keys(values).map((name) => [name, index] as const),
    ),
  );
  return (message.lastIndexes.get(key) ?? -1) >= message.next;
}

/**
 * Returns the keys whose rules must be evaluated now, given the keys changed by a reading; undefined if there are none. Beyond `TRANSITIONS_MAX`,
 * keys are kept until the last reading of the message.
 */
export function keysToEvaluate(
  message: EvaluatedMessage,
  moved: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  const isLast = message.next === message.readings.length;
  if (!isLast && message.transitions >= TRANSITIONS_MAX) {
    message.skipped++;
    if (moved !== undefined) message.left = message.left?.union(moved) ?? moved;
    return undefined;
  }
  return message.left?.union(moved ?? new Set()) ?? moved;
}

interface Waiting {
  readonly message: EvaluatedMessage;
  readonly finish: (hasWritten: boolean) => void;
}

/**
 * Passes the readings of messages to the rules, in order per device. A message that changes many alarms shares the event loop: the rest of it waits,
 * and so do later messages of its device.
 */
export class AlarmIntake {
  /** Messages with waiting readings, oldest first. */
  readonly #waiting = new Map<DeviceId, Waiting[]>();
  /** True if rules were evaluated since the last check of the time left in this round. */
  #hasEvaluated = false;
  /** Message whose next reading is being evaluated. */
  #taken: EvaluatedMessage | undefined;

  constructor(
    readonly deps: {
      share: Pick<FairShare, "pause">;
      /** Returns a promise if the next reading of the message has to wait, because too many events of its tenant are to be published. */
      room: (message: EvaluatedMessage) => Promise<void> | undefined;
      /** Processes the next reading of a message. Returns `true` if rules were evaluated. Never throws. */
      takeNext: (message: EvaluatedMessage) => boolean;
    },
  ) {}

  /** Resolves to `true`, if possible immediately, if an alarm or a count changed. */
  take(device: IngestDevice, readings: readonly Reading[]): boolean | Promise<boolean> {
    const { deviceId } = device;
    const message: EvaluatedMessage = {
      device,
      readings,
      next: 0,
      transitions: 0,
      hasWritten: false,
      skipped: 0,
    };
    const before = this.#waiting.get(deviceId);
    if (before !== undefined) return new Promise((finish) => before.push({ message, finish }));
    const pause = this.#advance(message);
    if (pause === undefined) return message.hasWritten;
    return new Promise((finish) => {
      this.#waiting.set(deviceId, [{ message, finish }]);
      void this.#work(deviceId, pause);
    });
  }

  /**
   * Returns whether a waiting reading of the device has the key, which is then not silent. Between the readings of a message, only the message
   * counts.
   */
  hasWaiting(deviceId: DeviceId, key: string): boolean {
    const taken = this.#taken;
    if (taken?.device.deviceId === deviceId) return hasLaterReading(taken, key);
    return (this.#waiting.get(deviceId) ?? []).some(({ message }) => hasLaterReading(message, key));
  }

  /** Processes all waiting readings without sharing. */
  finish(): void {
    for (const deviceId of [...this.#waiting.keys()]) this.#finishDevice(deviceId);
  }

  #finishDevice(deviceId: DeviceId): void {
    const waiting = this.#waiting.get(deviceId) ?? [];
    this.#waiting.delete(deviceId);
    for (const { message, finish } of waiting) {
      while (message.next < message.readings.length) this.#takeNext(message);
      finish(message.hasWritten);
    }
  }

  #takeNext(message: EvaluatedMessage): boolean {
    this.#taken = message;
    const isEvaluated = this.deps.takeNext(message);
    this.#taken = undefined;
    return isEvaluated;
  }

  /** Returns a promise if remaining readings have to wait. */
  #advance(message: EvaluatedMessage): Promise<void> | undefined {
    const { device, readings } = message;
    while (message.next < readings.length) {
      const room = this.deps.room(message);
      if (room !== undefined) return room;
      const { tenantId, deviceId: userId } = device;
      const pause = this.#hasEvaluated ? this.deps.share.pause({ tenantId, userId }) : undefined;
      this.#hasEvaluated = false;
      if (pause !== undefined) return pause;
      this.#hasEvaluated = this.#takeNext(message);
    }
    return undefined;
  }

  async #work(deviceId: DeviceId, first: Promise<void>): Promise<void> {
    await first;
    for (let oldest = this.#waiting.get(deviceId)?.[0]; oldest; oldest = this.#waiting.get(deviceId)?.[0]) {
      const pause = this.#advance(oldest.message);
      if (pause !== undefined) {
        await pause;
        continue;
      }
      this.#waiting.get(deviceId)?.shift();
      oldest.finish(oldest.message.hasWritten);
    }
    this.#waiting.delete(deviceId);
  }
}
