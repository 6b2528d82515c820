const NO_BLOCK = 0xffff_ffff;
const PAGES_GROWTH = 4_096;
const BLOCK_WORDS = 4;
/** Memory of a page and a block when they are read: the encoded and the decoded map, objects, and lists of pages. */
const PAGE_MEMORY_BYTES = 64;
const BLOCK_MEMORY_BYTES = 250;

/** Position of a block, and its first page. */
export interface Block {
  /** Position of the pack in the record's list. */
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
  readonly firstPage: number;
}

const grown = <A extends BigUint64Array | Uint32Array>(array: A, larger: A): A => {
  larger.set(array as never);
  return larger;
};

/**
 * Map of a database's pages to their xxHash3 and block. A block is up to 64 KiB of pages that were consecutive when written, so a page's offset in
 * it is its distance from the block's first page.
 */
export class PageMap {
  #hashes = new BigUint64Array(PAGES_GROWTH);
  #blockOf = new Uint32Array(PAGES_GROWTH);
  #blocks: Block[] = [];
  #pages = 0;

  get pages(): number {
    return this.#pages;
  }

  /** Truncates or extends the map. New pages have no block. */
  resize(pages: number): void {
    if (pages > this.#hashes.length) {
      const capacity = Math.ceil(pages / PAGES_GROWTH) * PAGES_GROWTH;
      this.#hashes = grown(this.#hashes, new BigUint64Array(capacity));
      this.#blockOf = grown(this.#blockOf, new Uint32Array(capacity));
    }
    if (pages > this.#pages) this.#blockOf.fill(NO_BLOCK, this.#pages, pages);
    this.#pages = pages;
  }

  has(page: number, hash: bigint): boolean {
    return this.#blockOf[page] !== NO_BLOCK && this.#hashes[page] === hash;
  }

  hashOf(page: number): bigint {
    return this.#hashes[page] ?? 0n;
  }

  /** Returns the position of the page's pack; undefined for a page without a block. */
  packOf(page: number): number | undefined {
    return this.#blocks[this.#blockOf[page] ?? NO_BLOCK]?.pack;
  }

  addBlock(block: Block, hashes: readonly bigint[]): void {
    const number = this.#blocks.push(block) - 1;
    hashes.forEach((hash, index) => {
      this.#hashes[block.firstPage + index] = hash;
      this.#blockOf[block.firstPage + index] = number;
    });
  }

  /** Drops the blocks in some packs, so that their pages count as changed. */
  forget(packs: ReadonlySet<number>): void {
    for (let page = 0; page < this.#pages; page++) {
      const pack = this.packOf(page);
      if (pack !== undefined && packs.has(pack)) this.#blockOf[page] = NO_BLOCK;
    }
  }

  /**
   * Points pages of a lost pack to the blocks of another map with the same pages. `positions` maps the other map's packs to their positions here.
   * Returns the number of pages that stay lost.
   */
  adopt(other: PageMap, lost: ReadonlySet<number>, positions: ReadonlyMap<number, number>): number {
    const copies = new Map<Block, number>();
    let missing = 0;
    for (let page = 0; page < this.#pages; page++) {
      const pack = this.packOf(page);
      if (pack === undefined || !lost.has(pack)) continue;
      const source = page < other.#pages ? other.#blocks[other.#blockOf[page] ?? NO_BLOCK] : undefined;
      const position = source && positions.get(source.pack);
      if (source === undefined || position === undefined || !other.has(page, this.hashOf(page))) {
        missing++;
        continue;
      }
      const copy = copies.get(source) ?? this.#blocks.push({ ...source, pack: position }) - 1;
      copies.set(source, copy);
      this.#blockOf[page] = copy;
    }
    return missing;
  }

  /** Returns the pages still read from each block, by pack and offset. */
  livePages(): Map<Block, number[]> {
    const pages = new Map<Block, number[]>();
    for (let page = 0; page < this.#pages; page++) {
      const block = this.#blocks[this.#blockOf[page] ?? NO_BLOCK];
      if (block === undefined) continue;
      const list = pages.get(block);
      if (list === undefined) pages.set(block, [page]);
      else list.push(page);
    }
    return pages;
  }

  /** Adds the number of live pages of each pack to `counts`. */
  countLive(counts: Map<number, number>): void {
    for (let page = 0; page < this.#pages; page++) {
      const pack = this.packOf(page);
      if (pack !== undefined) counts.set(pack, (counts.get(pack) ?? 0) + 1);
    }
  }

  /**
   * Encodes the map without blocks that have no live page, renumbering packs by `packs` (old position → new one). Layout, little-endian: u32 pages,
   * u32 blocks, u64 hash per page, u32 block per page, 4 × u32 per block (pack, offset, length, first page).
   */
  encode(packs: ReadonlyMap<number, number>): Uint8Array {
    const live = [...new Set(this.#blockOf.subarray(0, this.#pages))]
      .filter((number) => number !== NO_BLOCK)
      .sort((a, b) => a - b);
    const renumbered = new Map(live.map((number, index) => [number, index]));
    const bytes = new Uint8Array(8 + this.#pages * 12 + live.length * BLOCK_WORDS * 4);
    const head = new Uint32Array(bytes.buffer, 0, 2);
    head.set([this.#pages, live.length]);
    new BigUint64Array(bytes.buffer, 8, this.#pages).set(this.#hashes.subarray(0, this.#pages));
    const blockOf = new Uint32Array(bytes.buffer, 8 + this.#pages * 8, this.#pages);
    for (let page = 0; page < this.#pages; page++)
      blockOf[page] = renumbered.get(this.#blockOf[page] ?? NO_BLOCK) ?? NO_BLOCK;
    const table = new Uint32Array(bytes.buffer, 8 + this.#pages * 12, live.length * BLOCK_WORDS);
    live.forEach((number, index) => {
      const block = this.#blocks[number];
      if (block === undefined) return;
      table.set(
        [packs.get(block.pack) ?? 0, block.offset, block.length, block.firstPage],
        index * BLOCK_WORDS,
      );
    });
    return bytes;
  }

  /** Returns about the bytes of memory that a map takes when its pages are read. */
  static memoryOf(pages: number, blocks: number): number {
    return pages * PAGE_MEMORY_BYTES + blocks * BLOCK_MEMORY_BYTES;
  }

  /** Returns the max. bytes of an encoded map. */
  static bytesMax(pages: number): number {
    return 8 + pages * (12 + BLOCK_WORDS * 4);
  }

  /** @throws RangeError for bytes that were not written by `encode` */
  static decode(bytes: Uint8Array): PageMap {
    const copy = new Uint8Array(bytes); // aligned
    const { buffer, byteOffset } = copy;
    const [pages = 0, blocks = 0] = new Uint32Array(buffer, byteOffset, 2);
    if (copy.byteLength !== 8 + pages * 12 + blocks * BLOCK_WORDS * 4)
      throw new RangeError("page map of another length");
    const map = new PageMap();
    map.resize(pages);
    map.#hashes.set(new BigUint64Array(buffer, byteOffset + 8, pages));
    map.#blockOf.set(new Uint32Array(buffer, byteOffset + 8 + pages * 8, pages));
    const table = new Uint32Array(buffer, byteOffset + 8 + pages * 12, blocks * BLOCK_WORDS);
    for (let index = 0; index < blocks; index++) {
      const words = table.subarray(index * BLOCK_WORDS, (index + 1) * BLOCK_WORDS);
      const [pack = 0, offset = 0, length = 0, firstPage = 0] = words;
      map.#blocks.push({ pack, offset, length, firstPage });
    }
    return map;
  }
}
