import type { BlockHead } from "./codec/block-codec.ts";
import type { OpenedBlock } from "./codec/opened-block.ts";

/** Arrays of a full block; larger ones are not kept. */
const scratchRows = 16_384;
const scratchArrays = 32;

/** Arrays that one read after the other uses: new ones for every block would cost more than filling them. */
export class Scratch {
  readonly #arrays: Float64Array[] = [];
  #used = 0;

  reset(): void {
    this.#used = 0;
  }

  readonly allocate = (count: number): Float64Array => {
    if (count > scratchRows || this.#used >= scratchArrays) return new Float64Array(count);
    const array = this.#arrays[this.#used] ?? new Float64Array(scratchRows);
    this.#arrays[this.#used++] = array;
    return array.subarray(0, count);
  };
}

/** The blocks of 50 charts of a month at one point in 10 s, of some 21 KiB each with their sums, and some more. */
const cachedBytesMax = 40 * 1024 * 1024;

/** Blocks read lately; the one unused for longest goes first. */
export class BlockCache {
  /** Body id → block and the bytes it was counted with. */
  readonly #blocks = new Map<number, { block: OpenedBlock; bytes: number }>();
  #bytes = 0;

  get(body: number): OpenedBlock | undefined {
    const entry = this.#blocks.get(body);
    if (entry === undefined) return undefined;
    this.#blocks.delete(body);
    this.#blocks.set(body, entry);
    return entry.block;
  }

  /** Adds a block, or counts one again that has unpacked more since. */
  put(body: number, block: OpenedBlock): void {
    this.delete(body);
    this.#blocks.set(body, { block, bytes: block.bytes });
    this.#bytes += block.bytes;
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= cachedBytesMax) return;
      this.delete(oldest);
    }
  }

  delete(body: number): void {
    this.#bytes -= this.#blocks.get(body)?.bytes ?? 0;
    this.#blocks.delete(body);
  }
}

/** About 3 MiB: the heads of a year at one point a second take a quarter of it. */
const headColumnsMax = 16_384;

/** Heads read lately; all go when there are too many, for a longer range than that has nothing to gain. */
export class HeadCache {
  /** Body id → head. */
  readonly #heads = new Map<number, BlockHead>();
  #columns = 0;

  get(body: number): BlockHead | undefined {
    return this.#heads.get(body);
  }

  put(body: number, head: BlockHead): BlockHead {
    if (this.#columns > headColumnsMax) {
      this.#heads.clear();
      this.#columns = 0;
    }
    this.#heads.set(body, head);
    this.#columns += head.columns.size;
    return head;
  }
}
