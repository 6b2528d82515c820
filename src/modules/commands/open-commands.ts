import type { DeviceId } from "../../lib/core/ids.ts";
import { tooMuchInCommands } from "./commands.errors.ts";
import type { Command } from "./commands.types.ts";

/** Max. MiB of a device's open commands, and of its finished commands. */
const SPACE_MIB = 4;
export const SPACE_BYTES = SPACE_MIB * 1024 * 1024;
/** Bytes of a command without its strings: other columns and index entries. */
export const COMMAND_BYTES = 512;

interface OpenOfDevice {
  /** Total size, including space reserved for commands being stored, in bytes. */
  bytes: number;
  /** Sizes of unfinished commands by number, in bytes. */
  readonly sizes: Map<number, number>;
  /** Numbers of commands that have not reached the device. */
  readonly unreached: Set<number>;
}

/** Register of unfinished commands: unreached ones, blocked queues of devices, and the space in use. */
export class OpenCommands {
  /** Open commands by device; a connection of any other device needs no database look-up. */
  readonly #open = new Map<DeviceId, OpenOfDevice>();
  /** Devices with commands that could not be sent; newer commands queue after them. */
  readonly #waiting = new Set<DeviceId>();
  /** Devices whose queue is being sent. */
  readonly #sending = new Set<DeviceId>();

  has(deviceId: DeviceId): boolean {
    return (this.#open.get(deviceId)?.unreached.size ?? 0) > 0;
  }

  devices(): DeviceId[] {
    return [...this.#open].flatMap(([deviceId, { unreached }]) => (unreached.size > 0 ? deviceId : []));
  }

  numbersOf(deviceId: DeviceId): number[] {
    return [...(this.#open.get(deviceId)?.unreached ?? [])];
  }

  /**
   * Reserves space for a new command. Call the returned function once the command is tracked or could not be stored.
   * @throws DomainError `command.too_much`
   */
  reserve(deviceId: DeviceId, bytes: number): () => void {
    const open = this.#of(deviceId);
    if (open.bytes + bytes > SPACE_BYTES) {
      this.#dropEmpty(deviceId, open);
      throw tooMuchInCommands(SPACE_MIB);
    }
    open.bytes += bytes;
    return () => {
      open.bytes -= bytes;
      this.#dropEmpty(deviceId, open);
    };
  }

  /** @param bytes returns the size of a command that may be new. Returns the size of a command that has just finished; otherwise 0 */
  track(command: Command, bytes = (): number => COMMAND_BYTES + bytesOf(command.params)): number {
    const { deviceId, rpcId, status, finishedAt } = command;
    const open = this.#of(deviceId);
    if (status === "QUEUED" || status === "SENT") open.unreached.add(rpcId);
    else open.unreached.delete(rpcId);
    const size = open.sizes.get(rpcId);
    if (finishedAt === null && size === undefined) {
      const added = bytes();
      open.sizes.set(rpcId, added);
      open.bytes += added;
    }
    if (finishedAt === null) return 0;
    open.sizes.delete(rpcId);
    open.bytes -= size ?? 0;
    this.#dropEmpty(deviceId, open);
    return size ?? 0;
  }

  forget(deviceId: DeviceId): void {
    this.#open.delete(deviceId);
    this.#waiting.delete(deviceId);
  }

  /** Records that a command of the device could not be sent, or must be resent. */
  wait(deviceId: DeviceId): void {
    this.#waiting.add(deviceId);
  }

  isWaiting(deviceId: DeviceId): boolean {
    return this.#waiting.has(deviceId) || this.#sending.has(deviceId);
  }

  /** Sends a device's queue, unless that is in progress: reading the queue commits new commands, which would otherwise be sent first. */
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

  #of(deviceId: DeviceId): OpenOfDevice {
    const existing = this.#open.get(deviceId);
    const open = existing ?? { bytes: 0, sizes: new Map<number, number>(), unreached: new Set<number>() };
    if (existing === undefined) this.#open.set(deviceId, open);
    return open;
  }

  #dropEmpty(deviceId: DeviceId, open: OpenOfDevice): void {
    const isEmpty = open.bytes === 0 && open.sizes.size === 0 && open.unreached.size === 0;
    if (isEmpty && this.#open.get(deviceId) === open) this.#open.delete(deviceId);
  }
}

/** Returns the stored size of a value, in bytes. */
export const bytesOf = (value: unknown): number =>
  value === null ? 0 : Buffer.byteLength(JSON.stringify(value) ?? "");
