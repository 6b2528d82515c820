import { FFIType } from "bun:ffi";
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { openLibc } from "./libc.ts";

/*
 * Gives pages of the executable back to the kernel. They stay in the page cache and return with the next access, so that only what the start
 * alone needed leaves the resident memory. Only pages that are equal to the file are given back; a page that was written to stays.
 */

const MADV_DONTNEED = 4;
/** Smaller mappings hold little, and what the linker writes to. */
const MAPPING_BYTES_MIN = 1 << 20;
/** Fewer pages in a row are not worth a system call. */
const RUN_PAGES_MIN = 16;
const AT_PAGESZ = 6n;
/** Bits of an entry of `/proc/self/pagemap`. */
const IS_PRESENT = 1 << 31;
const IS_SWAPPED = 1 << 30;
const IS_OF_FILE = 1 << 29;
/** Section of the executable that holds the compiled program and its assets. */
const PROGRAM_SECTION = ".bun";

/** Addresses in bytes, `end` excluded. */
interface Range {
  readonly start: number;
  readonly end: number;
}

export interface Mapping extends Range {
  readonly isWritable: boolean;
  /** Where the mapping begins in the file, in bytes. */
  readonly fileOffset: number;
}

/** Returns the private mappings of `program` in a text of the form of `/proc/self/maps`. */
export function mappingsOf(maps: string, program: string): Mapping[] {
  return maps.split("\n").flatMap((line) => {
    const [, start, end, mode, offset, path] =
      /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ \d+ +([^ ].*)$/.exec(line) ?? [];
    if (path !== program || start === undefined || end === undefined || !mode?.endsWith("p")) return [];
    return [
      {
        start: Number.parseInt(start, 16),
        end: Number.parseInt(end, 16),
        isWritable: mode.includes("w"),
        fileOffset: Number.parseInt(offset ?? "", 16),
      },
    ];
  });
}

/** Reads `length` bytes of a file from `position`; fewer where it ends before. */
function readAt(descriptor: number, position: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}

/** Returns the range of a section in a 64-bit little-endian ELF file; undefined if there is none. */
export function findSection(descriptor: number, name: string): Range | undefined {
  const header = readAt(descriptor, 0, 64);
  if (header.length < 64 || header.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") return undefined;
  const entryBytes = header.readUInt16LE(58);
  const table = readAt(descriptor, Number(header.readBigUInt64LE(40)), entryBytes * header.readUInt16LE(60));
  const sections = Array.from({ length: header.readUInt16LE(60) }, (_, index) => {
    const entry = table.subarray(index * entryBytes, (index + 1) * entryBytes);
    const start = Number(entry.readBigUInt64LE(24));
    return { nameOffset: entry.readUInt32LE(0), start, end: start + Number(entry.readBigUInt64LE(32)) };
  });
  const strings = sections[header.readUInt16LE(62)];
  if (strings === undefined) return undefined;
  const names = readAt(descriptor, strings.start, strings.end - strings.start).toString("latin1");
  return sections.find(({ nameOffset }) => names.startsWith(`${name}\0`, nameOffset));
}

/** Returns the part of a mapping that nothing writes to: all of it, or in a writable one what holds the compiled program. */
export function unwrittenPart(mapping: Mapping, section: Range | undefined, pageBytes: number): Range {
  if (!mapping.isWritable) return mapping;
  if (section === undefined) return { start: mapping.start, end: mapping.start };
  const addressOf = (offset: number) => mapping.start + offset - mapping.fileOffset;
  return {
    start: Math.max(mapping.start, Math.ceil(addressOf(section.start) / pageBytes) * pageBytes),
    end: Math.min(mapping.end, Math.floor(addressOf(section.end) / pageBytes) * pageBytes),
  };
}

/** Returns the runs of pages of a range that are in memory and equal to the file, by its entries of `/proc/self/pagemap`. */
export function fileRuns(start: number, pageBytes: number, entries: Uint32Array): Range[] {
  const runs: Range[] = [];
  let runStart = -1;
  let pagesInMemory = 0;
  for (let index = 0; index <= entries.length >> 1; index++) {
    const entry = entries[index * 2 + 1];
    const isWritten =
      entry === undefined || (entry & IS_SWAPPED) !== 0 || (entry & (IS_PRESENT | IS_OF_FILE)) === IS_PRESENT;
    if (!isWritten) {
      if (runStart < 0) runStart = index;
      pagesInMemory += (entry & IS_PRESENT) === 0 ? 0 : 1;
      continue;
    }
    if (pagesInMemory >= RUN_PAGES_MIN)
      runs.push({ start: start + runStart * pageBytes, end: start + index * pageBytes });
    runStart = -1;
    pagesInMemory = 0;
  }
  return runs;
}

/** Returns the size of a page of memory, which the kernel tells each process (`getauxval(3)`). */
function readPageBytes(): number {
  const entries = new BigUint64Array(new Uint8Array(readFileSync("/proc/self/auxv")).buffer);
  const index = entries.findIndex((key, position) => position % 2 === 0 && key === AT_PAGESZ);
  return Number(entries[index + 1] ?? 0n);
}

/** Bytes of an entry of `/proc/self/pagemap`. */
const ENTRY_BYTES = 8;

/** Pages of the executable that this process runs. */
export class ProgramPages {
  readonly #pageBytes = readPageBytes();
  readonly #section: Range | undefined;
  readonly #libc = openLibc({
    madvise: { args: [FFIType.u64, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
  });

  /** @throws Error where the system has no such `/proc` */
  constructor() {
    const program = openSync("/proc/self/exe", "r");
    this.#section = findSection(program, PROGRAM_SECTION);
    closeSync(program);
  }

  /** @throws Error where the system has no such `/proc`, or does not let this process read it */
  release(): void {
    const pages = openSync("/proc/self/pagemap", "r");
    try {
      for (const mapping of mappingsOf(
        readFileSync("/proc/self/maps", "latin1"),
        readlinkSync("/proc/self/exe", "latin1"),
      ))
        if (mapping.end - mapping.start >= MAPPING_BYTES_MIN)
          this.#releasePart(pages, unwrittenPart(mapping, this.#section, this.#pageBytes));
    } finally {
      closeSync(pages);
    }
  }

  #releasePart(pages: number, { start, end }: Range): void {
    const firstPage = start / this.#pageBytes;
    const count = Math.max(0, (end - start) / this.#pageBytes);
    const entries = readAt(pages, firstPage * ENTRY_BYTES, count * ENTRY_BYTES);
    const words = new Uint32Array(entries.buffer, entries.byteOffset, entries.length >> 2);
    for (const run of fileRuns(start, this.#pageBytes, words))
      this.#libc?.madvise(run.start, run.end - run.start, MADV_DONTNEED);
  }
}
