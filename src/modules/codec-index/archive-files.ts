import { Unzip, type UnzipFile, UnzipInflate } from "fflate";
import { createTarDecoder } from "modern-tar";
import { DomainError } from "../../lib/core/domain-error.ts";
import { MIB } from "../../lib/core/units.ts";
import { archiveUnknown, archiveUnreadable, collectionTooLarge, tooMany } from "./codec-index.errors.ts";
import type { CollectedFiles } from "./collected-files.ts";
import { indexLimits } from "./index-limits.ts";

const { unpackedBytesMax, archiveEntriesMax } = indexLimits;

/** Bytes read at a time; Deflate expands a piece at most a thousand times. */
const PIECE_BYTES = 16 * 1024;
/** Max. expansion ratio; public collections expand ten times. */
const RATIO_MAX = 100;
/** Unpacked bytes to which the ratio does not apply. */
const RATIO_FREE_BYTES = 64 * MIB;
const GZIP = [0x1f, 0x8b];
const ZIP = [0x50, 0x4b, 0x03, 0x04];

/** Counts the actual unpacked size of an archive, whatever its headers say. */
class UnpackedSize {
  readonly #bytesMax: number;
  readonly #packedBytes: () => number;
  #entries = 0;
  #bytes = 0;

  /** @param packedBytes returns the number of archive bytes read so far */
  constructor(bytesMax: number, packedBytes: () => number) {
    this.#bytesMax = bytesMax;
    this.#packedBytes = packedBytes;
  }

  addEntry(): void {
    if (++this.#entries > archiveEntriesMax) throw tooMany(archiveEntriesMax);
  }

  addBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.#bytesMax) throw collectionTooLarge(this.#bytesMax / MIB);
    if (this.#bytes > RATIO_FREE_BYTES + RATIO_MAX * this.#packedBytes())
      throw new Error(`it unpacks to more than ${RATIO_MAX} times its size`);
  }
}

/** File of an archive during its arrival; discarded if it becomes too large. */
class ArrivingFile {
  readonly #name: string;
  readonly #files: CollectedFiles;
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(name: string, files: CollectedFiles) {
    this.#name = name;
    this.#files = files;
    this.#bytesMax = files.bytesMax(name);
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length <= this.#bytesMax) this.#pieces.push(piece.slice());
    else this.#pieces = [];
  }

  end(): void {
    if (this.#bytesMax === 0) return;
    if (this.#length > this.#bytesMax) this.#files.skip();
    else this.#files.add(this.#name, Buffer.concat(this.#pieces));
  }
}

/**
 * Collects the files of a zip or tar.gz archive, which is read as a stream. Links have no content and are skipped; a link in a zip counts as a file
 * containing its target.
 * @throws DomainError `codec_index.archive_unknown`, `codec_index.archive_unreadable`, `codec_index.collection_too_large`, `codec_index.too_many`
 */
export async function collectArchive(
  path: string,
  files: CollectedFiles,
  onProgress: (done: number, total: number) => void,
  bytesMax: number = unpackedBytesMax,
): Promise<void> {
  const archive = Bun.file(path);
  const head = await archive.slice(0, ZIP.length).bytes();
  const beginsWith = (magic: readonly number[]) => magic.every((byte, index) => head[index] === byte);
  const collect = beginsWith(ZIP) ? collectZip : beginsWith(GZIP) ? collectTar : undefined;
  if (collect === undefined) throw archiveUnknown();
  let done = 0;
  const counted = archive.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        done += piece.length;
        onProgress(done, archive.size);
        controller.enqueue(piece);
      },
    }),
  );
  try {
    await collect(counted, files, new UnpackedSize(bytesMax, () => done));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw archiveUnreadable(error instanceof Error ? error.message : String(error));
  }
}

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

async function collectTar(bytes: Bytes, files: CollectedFiles, size: UnpackedSize): Promise<void> {
  const unpacked = bytes.pipeThrough(new DecompressionStream("gzip")).pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, controller) {
        size.addBytes(piece.length);
        controller.enqueue(piece);
      },
    }),
  );
  for await (const { header, body } of unpacked.pipeThrough(createTarDecoder({ strict: true }))) {
    size.addEntry();
    if (header.type !== "file" || files.bytesMax(header.name) === 0) {
      await body.cancel();
      continue;
    }
    const file = new ArrivingFile(header.name, files);
    for await (const piece of body) file.add(piece);
    file.end();
  }
}

async function collectZip(bytes: Bytes, files: CollectedFiles, size: UnpackedSize): Promise<void> {
  let failure: unknown;
  let unfinished = 0;
  const unzip = new Unzip((entry: UnzipFile) => {
    size.addEntry();
    const file = new ArrivingFile(entry.name, files);
    unfinished++;
    entry.ondata = (error, piece, isLast) => {
      if (error) failure ??= error;
      if (failure !== undefined) return;
      size.addBytes(piece.length);
      file.add(piece);
      if (!isLast) return;
      unfinished--;
      file.end();
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  for await (const piece of bytes)
    for (let from = 0; from < piece.length; from += PIECE_BYTES) {
      unzip.push(piece.subarray(from, from + PIECE_BYTES));
      if (failure !== undefined) throw failure;
    }
  unzip.push(new Uint8Array(0), true);
  if (failure !== undefined) throw failure;
  if (unfinished > 0) throw new Error("the archive is truncated");
}
