import type { DeviceId } from "../../lib/ids.ts";
import type { Command } from "./commands.types.ts";

const KEPT_MAX = 1_000;

/**
 * Commands in progress that changed last: a device acknowledges and answers within milliseconds. One that is not committed yet is as it is
 * by now, any other as it is stored.
 */
export class RecentCommands {
  /** Commands that are not committed yet, by their number. */
  readonly #unsaved = new Map<number, Command>();
  /** Commands that are stored, by their number. */
  readonly #stored = new Map<number, Command>();

  find(rpcId: number): Command | undefined {
    return this.#unsaved.get(rpcId) ?? this.#stored.get(rpcId);
  }

  changed(command: Command): void {
    this.#unsaved.set(command.rpcId, command);
    this.#stored.delete(command.rpcId);
  }

  /** Returns whether a command that was changed is the one to store: it has not changed again. */
  isCurrent(command: Command): boolean {
    return this.#unsaved.get(command.rpcId) === command;
  }

  stored(command: Command): void {
    this.#unsaved.delete(command.rpcId);
    if (command.finishedAt !== null) return;
    this.#stored.set(command.rpcId, command);
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > KEPT_MAX && oldest !== undefined) this.#stored.delete(oldest);
  }

  /** Forgets a command that could not be stored. */
  failed({ rpcId }: Command): void {
    this.#unsaved.delete(rpcId);
  }

  /** Forgets the commands of a device that is deleted, and they with it. */
  readonly forgetOf = (deviceId: DeviceId): void => {
    for (const command of this.#stored.values())
      if (command.deviceId === deviceId) this.#stored.delete(command.rpcId);
  };
}
