import type { DeviceId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Command } from "./commands.types.ts";

type Resolve = (command: Command | undefined) => void;

/** Who waits for a command: devices that ask for their next one, and people for the end of theirs. */
export class CommandWaiters {
  readonly #polls = new Map<DeviceId, Set<Resolve>>();
  readonly #ends = new Map<string, Set<Resolve>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next command of a device; undefined after `ms` or when the asker has gone. */
  poll(deviceId: DeviceId, ms: number, signal: AbortSignal): Promise<Command | undefined> {
    return this.#wait(this.#polls, deviceId, ms, signal);
  }

  /** Whoever has waited longest for a command of the device. */
  takePoll(deviceId: DeviceId): Resolve | undefined {
    const [oldest] = this.#polls.get(deviceId) ?? [];
    return oldest;
  }

  /** The command when it has finished; undefined after `ms`. */
  finish(commandId: string, ms: number): Promise<Command | undefined> {
    return this.#wait(this.#ends, commandId, ms);
  }

  finished(command: Command): void {
    for (const resolve of [...(this.#ends.get(command.commandId) ?? [])]) resolve(command);
  }

  /** Nobody is left to wait for: the device is gone, and its commands with it. */
  endOf(deviceId: DeviceId): void {
    for (const resolve of [...(this.#polls.get(deviceId) ?? [])]) resolve(undefined);
  }

  endAll(): void {
    for (const waiting of [...this.#polls.values(), ...this.#ends.values()])
      for (const resolve of [...waiting]) resolve(undefined);
  }

  #wait<Key>(
    waiting: Map<Key, Set<Resolve>>,
    key: Key,
    ms: number,
    signal?: AbortSignal,
  ): Promise<Command | undefined> {
    return new Promise((resolve) => {
      const done: Resolve = (command) => {
        cancel();
        signal?.removeEventListener("abort", gone);
        const others = waiting.get(key);
        others?.delete(done);
        if (others?.size === 0) waiting.delete(key);
        resolve(command);
      };
      const gone = () => done(undefined);
      const cancel = this.#clock.schedule(ms, gone);
      signal?.addEventListener("abort", gone);
      const known = waiting.get(key);
      if (known === undefined) waiting.set(key, new Set([done]));
      else known.add(done);
      if (signal?.aborted === true) gone();
    });
  }
}
