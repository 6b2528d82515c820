import type { DeviceId } from "../../lib/core/ids.ts";
import { Growth } from "../../lib/data/growth.ts";
import { tooMuchInCommands } from "./commands.errors.ts";
import type { Command, NewCommand } from "./commands.types.ts";

/** Max. MiB of a device's open commands, and of its finished commands. */
const SPACE_MIB = 4;
export const SPACE_BYTES = SPACE_MIB * 1024 * 1024;
/** Bytes of a command without its texts: other columns and index entries. */
export const COMMAND_BYTES = 512;
/** Bytes of newly finished commands after which the oldest are deleted: often enough to keep the limit, rarely enough to be cheap. */
const TRIM_BYTES = SPACE_BYTES / 8;

const bytesOf = (value: unknown): number =>
  value === null ? 0 : Buffer.byteLength(JSON.stringify(value) ?? "");
const sizeOf = ({ params }: Pick<NewCommand, "params">): number => COMMAND_BYTES + bytesOf(params);

/** Counts the disk space of each device's commands, so that a site cannot fill the disk with commands. */
export class CommandSpace {
  /** Sizes of a device's open commands, by their number, and their sum. */
  readonly #open = new Map<DeviceId, { bytes: number; readonly sizes: Map<number, number> }>();
  /** Bytes of a device's finished commands. */
  readonly #finished = new Growth<DeviceId>(TRIM_BYTES);

  /** @throws DomainError `command.too_much` */
  ensureRoom(command: NewCommand): void {
    const bytes = this.#open.get(command.deviceId)?.bytes ?? 0;
    if (bytes + sizeOf(command) > SPACE_BYTES) throw tooMuchInCommands(SPACE_MIB);
  }

  /** Returns whether it is time to delete the oldest finished commands of the device. */
  track(command: Command): boolean {
    if (command.finishedAt === null) {
      this.#add(command);
      return false;
    }
    const { deviceId, response, error } = command;
    return this.#finished.add(deviceId, this.#remove(command) + bytesOf(response) + bytesOf(error));
  }

  forget(deviceId: DeviceId): void {
    this.#open.delete(deviceId);
    this.#finished.forget(deviceId);
  }

  #add(command: Command): void {
    const { deviceId, rpcId } = command;
    const open = this.#open.get(deviceId) ?? { bytes: 0, sizes: new Map<number, number>() };
    if (open.sizes.has(rpcId)) return;
    const size = sizeOf(command);
    open.sizes.set(rpcId, size);
    open.bytes += size;
    this.#open.set(deviceId, open);
  }

  /** Removes an open command. Returns its size. */
  #remove(command: Command): number {
    const { deviceId, rpcId } = command;
    const open = this.#open.get(deviceId);
    const size = open?.sizes.get(rpcId);
    if (open === undefined || size === undefined) return sizeOf(command); // response after the command had finished
    open.sizes.delete(rpcId);
    open.bytes -= size;
    if (open.sizes.size === 0) this.#open.delete(deviceId);
    return size;
  }
}
