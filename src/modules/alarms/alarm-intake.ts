import type { DeviceId } from "../../lib/core/ids.ts";
import type { FairShare } from "../../platform/load/fair-share.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";

/** Transitions of alarms that one message causes reading by reading. After those, only what its last reading leaves counts. */
export const TRANSITIONS_MAX = 1_000;

/** A message of a device, of which readings are evaluated or wait. */
export interface EvaluatedMessage {
  readonly device: IngestDevice;
  readonly readings: readonly Reading[];
  /** Index of the reading that is taken next. */
  next: number;
  /** Number of alarms raised, cleared or changed so far. */
  transitions: number;
  /** True if an alarm was changed or something counted. */
  hasWritten: boolean;
  /** Keys whose rules are evaluated with the last reading only; undefined if there are none. */
  left?: ReadonlySet<string>;
  /** Number of readings that were not evaluated one by one. */
  skipped: number;
  /** Index of the last reading that has a key; made when it is first needed. */
  lastIndexes?: ReadonlyMap<string, number>;
}

/** Returns whether a reading that has not been taken yet has the key. */
function isToBring(message: EvaluatedMessage, key: string): boolean {
  if (message.next === message.readings.length) return false;
  message.lastIndexes ??= new Map(
    message.readings.flatMap(({ values }, index) =>
      Object.keys(values).map((name) => [name, index] as const),
    ),
  );
  return (message.lastIndexes.get(key) ?? -1) >= message.next;
}

/**
 * Returns the keys whose rules are to be evaluated now, given those that a reading has moved; undefined if there are none. Beyond
 * `TRANSITIONS_MAX`, keys are kept until the last reading of the message.
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
 * Takes the readings of messages to the rules, a device's in the order in which they came. A message that changes many alarms shares the
 * event loop with others: the rest of it waits, and so do later messages of its device.
 */
export class AlarmIntake {
  /** Messages with readings that wait; the oldest first. */
  readonly #waiting = new Map<DeviceId, Waiting[]>();
  /** True if rules were evaluated since the time left in this round was looked at. */
  #hasEvaluated = false;
  /** Message whose next reading is being evaluated. */
  #taken: EvaluatedMessage | undefined;

  constructor(
    readonly deps: {
      share: Pick<FairShare, "pause">;
      /** Takes in the next reading of a message; returns `true` if rules were evaluated. Never throws. */
      takeNext: (message: EvaluatedMessage) => boolean;
    },
  ) {}

  /** Resolves to `true`, at best immediately, if an alarm was changed or something counted. */
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

  /** Returns whether a waiting reading of the device has the key, which is not silent then. Between the readings of a message, only the message counts. */
  hasWaiting(deviceId: DeviceId, key: string): boolean {
    const taken = this.#taken;
    if (taken?.device.deviceId === deviceId) return isToBring(taken, key);
    return (this.#waiting.get(deviceId) ?? []).some(({ message }) => isToBring(message, key));
  }

  /** Takes in everything that waits, without sharing. */
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

  /** Returns a promise if readings are left that have to wait for it. */
  #advance(message: EvaluatedMessage): Promise<void> | undefined {
    const { device, readings } = message;
    while (message.next < readings.length) {
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
