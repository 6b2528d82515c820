import type { DeviceId } from "../../lib/core/ids.ts";
import type { Command } from "./commands.types.ts";

/** Register of the commands that have not reached their devices, and of the devices whose queues are held up. */
export class OpenCommands {
  /** Numbers of commands, by device: a connection of any other costs no look into the database. */
  readonly #numbers = new Map<DeviceId, Set<number>>();
  /** Devices with commands that could not be sent: newer commands queue behind them. */
  readonly #waiting = new Set<DeviceId>();
  /** Devices whose queue is being sent. */
  readonly #sending = new Set<DeviceId>();

  has(deviceId: DeviceId): boolean {
    return this.#numbers.has(deviceId);
  }

  devices(): DeviceId[] {
    return [...this.#numbers.keys()];
  }

  numbersOf(deviceId: DeviceId): number[] {
    return [...(this.#numbers.get(deviceId) ?? [])];
  }

  track({ deviceId, rpcId, status }: Command): void {
    const existing = this.#numbers.get(deviceId);
    if (status === "QUEUED" || status === "SENT") {
      if (existing === undefined) this.#numbers.set(deviceId, new Set([rpcId]));
      else existing.add(rpcId);
    } else if (existing?.delete(rpcId) === true && existing.size === 0) this.#numbers.delete(deviceId);
  }

  forget(deviceId: DeviceId): void {
    this.#numbers.delete(deviceId);
    this.#waiting.delete(deviceId);
  }

  /** Records that a command of the device could not be sent, or has to be sent again. */
  wait(deviceId: DeviceId): void {
    this.#waiting.add(deviceId);
  }

  isWaiting(deviceId: DeviceId): boolean {
    return this.#waiting.has(deviceId) || this.#sending.has(deviceId);
  }

  /** Sends a device's queue, unless that is in progress: reading the queue commits new commands, which would be sent before it. */
  send(deviceId: DeviceId, queue: () => void): void {
    if (!this.has(deviceId) || this.#sending.has(deviceId)) return;
    this.#sending.add(deviceId);
    this.#waiting.delete(deviceId);
    try {
      queue();
    } finally {
      this.#sending.delete(deviceId);
    }
  }
}
