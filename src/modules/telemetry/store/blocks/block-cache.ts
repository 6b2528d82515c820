import { totalmem } from "node:os";
import { MIB } from "../../../../lib/core/units.ts";
import { createRandom } from "../../../../lib/data/random.ts";
import type { BlockHead } from "../codec/block-codec.ts";
import type { OpenedBlock } from "../codec/opened-block.ts";

/** Rows of a full block; larger arrays are not kept. */
const SCRATCH_ROWS = 16_384;
const SCRATCH_ARRAYS = 32;

/** Arrays reused by consecutive reads, because allocating arrays per block would cost more than filling them. */
export class Scratch {
  readonly #arrays: Float64Array[] = [];
  #used = 0;

  reset(): void {
    this.#used = 0;
  }

  readonly allocate = (count: number): Float64Array => {
    if (count > SCRATCH_ROWS || this.#used >= SCRATCH_ARRAYS) return new Float64Array(count);
    const array = this.#arrays[this.#used] ?? new Float64Array(SCRATCH_ROWS);
    this.#arrays[this.#used++] = array;
    return array.subarray(0, count);
  };
}

/** Share of the machine's memory. */
const CACHE_SHARE = 1 / 128;

/**
 * Returns the max. bytes of cached blocks. 50 charts of a month at one point per 10 s take about 18 MiB, or 55 MiB with irregular timestamps and
 * values.
 */
export const cachedBytesMax = (memoryBytes: number): number =>
  Math.max(32 * MIB, Math.min(64 * MIB, memoryBytes * CACHE_SHARE));

interface CachedBlock {
  readonly block: OpenedBlock;
  /** Size in bytes when added. */
  readonly bytes: number;
  /** Index of its body in `#bodies`. */
  readonly place: number;
}

/**
 * Cache of recently read blocks. A full cache evicts a random block: a dashboard reads the same blocks in the same order repeatedly, so evicting the
 * oldest would always miss.
 */
export class BlockCache {
  /** Body id → block. */
  readonly #blocks = new Map<number, CachedBlock>();
  /** Body ids, in any order. */
  readonly #bodies: number[] = [];
  readonly #bytesMax: number;
  readonly #random = createRandom(1);
  #bytes = 0;

  constructor(bytesMax = cachedBytesMax(totalmem())) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(body: number): OpenedBlock | undefined {
    return this.#blocks.get(body)?.block;
  }

  /** Adds a block, or updates the size of a block that has unpacked more columns. */
  put(body: number, block: OpenedBlock): void {
    this.delete(body);
    const { bytes } = block;
    // Evicts only older blocks, never the new block.
    while (this.#bytes + bytes > this.#bytesMax && this.#bodies.length > 0)
      this.delete(this.#bodies[Math.floor(this.#random() * this.#bodies.length)]!);
    this.#blocks.set(body, { block, bytes, place: this.#bodies.push(body) - 1 });
    this.#bytes += bytes;
  }

  delete(body: number): void {
    const cached = this.#blocks.get(body);
    if (cached === undefined) return;
    this.#blocks.delete(body);
    this.#bytes -= cached.bytes;
    this.#unlist(cached.place);
  }

  /** Replaces the entry by the last one. */
  #unlist(place: number): void {
    const last = this.#bodies.pop();
    const moved = last === undefined ? undefined : this.#blocks.get(last);
    if (last === undefined || moved === undefined || place === this.#bodies.length) return;
    this.#bodies[place] = last;
    this.#blocks.set(last, { ...moved, place });
  }
}

/** Max. cached columns, about 3 MiB; the heads of a year at one point per second take a quarter. */
const HEAD_COLUMNS_MAX = 16_384;

/** Cache of recently read heads. A full cache is emptied, because a longer range would not benefit from it. */
export class HeadCache {
  /** Body id → head. */
  readonly #heads = new Map<number, BlockHead>();
  #columns = 0;

  get(body: number): BlockHead | undefined {
    return this.#heads.get(body);
  }

  put(body: number, head: BlockHead): BlockHead {
    if (this.#columns > HEAD_COLUMNS_MAX) {
      this.#heads.clear();
      this.#columns = 0;
    }
    this.#heads.set(body, head);
    this.#columns += head.columns.size;
    return head;
  }
}
