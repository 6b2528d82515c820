import type { DeviceId } from "../../lib/ids.ts";
import type { GroupedWrite, WriteGroup } from "../../platform/write-group.ts";
import type { Command } from "./commands.types.ts";

/** Time that a write waits for one that replaces it: more than a device that is connected takes to answer. */
const WAIT_MS = 10;

interface LateWrite extends GroupedWrite {
  readonly deviceId: DeviceId;
  /** Monotonic ms. */
  readonly addedAt: number;
  readonly stored: PromiseWithResolvers<void>;
}

/** Writes that can wait for some milliseconds, as a later state of the same command is likely to replace them by then. */
export class LateWrites {
  readonly #writes: WriteGroup;
  /** Keyed by the number of the command, whichever has waited longest first. */
  readonly #waiting = new Map<number, LateWrite>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(writes: WriteGroup) {
    this.#writes = writes;
  }

  add({ rpcId, deviceId }: Pick<Command, "rpcId" | "deviceId">, write: GroupedWrite): void {
    this.release(rpcId);
    const stored = Promise.withResolvers<void>();
    stored.promise.catch(() => undefined); // nobody may be waiting for it
    this.#waiting.set(rpcId, {
      deviceId,
      addedAt: performance.now(),
      stored,
      write: () => write.write(),
      committed() {
        write.committed();
        stored.resolve();
      },
      failed(error) {
        write.failed(error);
        stored.reject(error);
      },
    });
    this.#timer ??= setTimeout(() => this.#releaseDue(), WAIT_MS);
  }

  /** Settles with the commit of the command's write, which may have joined the present group; `undefined` if nothing waits. */
  storing(rpcId: number): Promise<void> | undefined {
    return this.#waiting.get(rpcId)?.stored.promise ?? this.#writes.pending;
  }

  /** Lets the command's write join the present group. */
  release(rpcId: number): void {
    const write = this.#waiting.get(rpcId);
    if (write === undefined) return;
    this.#waiting.delete(rpcId);
    this.#writes.add(write);
  }

  releaseOf(deviceId: DeviceId): void {
    for (const [rpcId, write] of this.#waiting) if (write.deviceId === deviceId) this.release(rpcId);
  }

  releaseAll(): void {
    for (const rpcId of [...this.#waiting.keys()]) this.release(rpcId);
  }

  #releaseDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [rpcId, { addedAt }] of this.#waiting) {
      const waitMs = addedAt + WAIT_MS - now;
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#releaseDue(), waitMs);
        return;
      }
      this.release(rpcId);
    }
  }
}
