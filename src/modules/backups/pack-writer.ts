import { createHash } from "node:crypto";
import type { BackupTarget, Pack } from "./snapshot.types.ts";

const PACK_BYTES = 4 * 1024 * 1024;
const ZSTD_LEVEL = 1;

/** Position of a block written by `add`. */
export interface BlockPlace {
  /** Position of the pack among all packs of the snapshot. */
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

/** Collects compressed blocks into packs of about 4 MiB, and writes each pack as one object. */
export class PackWriter {
  readonly #target: BackupTarget;
  /** All packs, starting with those of earlier snapshots. */
  readonly packs: Pack[];
  readonly #newName: () => string;
  #blocks: Uint8Array[] = [];
  #bytes = 0;
  addedBytes = 0;

  constructor(target: BackupTarget, packs: readonly Pack[], newName: () => string) {
    this.#target = target;
    this.packs = [...packs];
    this.#newName = newName;
  }

  /** Adds a block of `count` pages. */
  async add(bytes: Uint8Array, count: number): Promise<BlockPlace> {
    if (this.#bytes >= PACK_BYTES) await this.flush();
    if (this.#bytes === 0) this.packs.push({ name: this.#newName(), pages: 0, bytes: 0, sha256: "" });
    const number = this.packs.length - 1;
    const pack = this.packs[number] as Pack;
    this.packs[number] = { ...pack, pages: pack.pages + count };
    const block = Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL });
    const place = { pack: number, offset: this.#bytes, length: block.length };
    this.#blocks.push(block);
    this.#bytes += block.length;
    return place;
  }

  /** Writes the current pack. */
  async flush(): Promise<void> {
    const pack = this.packs.at(-1);
    if (this.#bytes === 0 || pack === undefined) return;
    const bytes = Buffer.concat(this.#blocks);
    await this.#target.write(pack.name, bytes);
    this.packs[this.packs.length - 1] = { ...pack, bytes: bytes.length, sha256: sha256Of(bytes) };
    this.addedBytes += this.#bytes;
    this.#blocks = [];
    this.#bytes = 0;
  }
}

export const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
