import { FFIType } from "bun:ffi";
import { closeSync, openSync, readFileSync, readlinkSync, readSync } from "node:fs";
import type { Logger } from "../core/log.ts";
import type { Clock } from "../time/clock.ts";
import { untilSharedWake } from "../time/periodic.ts";
import { openLibc } from "./libc.ts";

/*
 * Returns pages of the executable to the kernel. They stay in the page cache and are mapped again on access, so only pages needed at startup alone
 * leave resident memory. Only pages that equal the file are returned; modified pages stay.
 */

const MADV_DONTNEED = 4;
/** Min. size of a mapping. Smaller ones are hardly worth it, or the linker writes to them. */
const MAPPING_BYTES_MIN = 1 << 20;
/** Min. consecutive pages that are worth a system call. */
const RUN_PAGES_MIN = 16;
const AT_PAGESZ = 6n;
/** Bits of an entry of `/proc/self/pagemap`. */
const IS_PRESENT = 1 << 31;
const IS_SWAPPED = 1 << 30;
const IS_OF_FILE = 1 << 29;
/** Section of the executable with the compiled program and its assets. */
const PROGRAM_SECTION = ".bun";

/** Address range in bytes, excluding `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

interface Mapping extends Range {
  readonly isWritable: boolean;
  /** Position of the mapping in the file, in bytes. */
  readonly fileOffset: number;
}

/** Returns the private mappings of `program` in a text in the format of `/proc/self/maps`. */
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

/** Reads `length` bytes of a file from `position`, or fewer at its end. */
function readAt(descriptor: number, position: number, length: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, position));
}

/** Returns the range of a section in a 64-bit little-endian ELF file; undefined if it does not exist. */
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

/** Returns the part of a mapping that is never written: all of it, or, in a writable mapping, the compiled program. */
export function unwrittenPart(mapping: Mapping, section: Range | undefined, pageBytes: number): Range {
  if (!mapping.isWritable) return mapping;
  if (section === undefined) return { start: mapping.start, end: mapping.start };
  const addressOf = (offset: number) => mapping.start + offset - mapping.fileOffset;
  return {
    start: Math.max(mapping.start, Math.ceil(addressOf(section.start) / pageBytes) * pageBytes),
    end: Math.min(mapping.end, Math.floor(addressOf(section.end) / pageBytes) * pageBytes),
  };
}

/** Returns runs of resident pages in a range that equal the file, based on entries of `/proc/self/pagemap`. */
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

/** Returns the page size, which the kernel provides to each process (`getauxval(3)`). */
function readPageBytes(): number {
  const entries = new BigUint64Array(new Uint8Array(readFileSync("/proc/self/auxv")).buffer);
  const index = entries.findIndex((key, position) => position % 2 === 0 && key === AT_PAGESZ);
  return Number(entries[index + 1] ?? 0n);
}

/** Bytes of an entry of `/proc/self/pagemap`. */
const ENTRY_BYTES = 8;

/** Pages of the executable of this process. */
export class ProgramPages {
  readonly #pageBytes = readPageBytes();
  readonly #section: Range | undefined;
  readonly #libc = openLibc({
    madvise: { args: [FFIType.u64, FFIType.u64, FFIType.i32], returns: FFIType.i32 },
  });

  /** @throws Error if the system has no such `/proc` */
  constructor() {
    const program = openSync("/proc/self/exe", "r");
    this.#section = findSection(program, PROGRAM_SECTION);
    closeSync(program);
  }

  /** @throws Error if the system lacks such a `/proc`, or denies access to it */
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

/** Releases pages that were only needed to load a part of the program. This is optional. */
export function releaseLoadedPages(): void {
  try {
    if (process.platform === "linux") new ProgramPages().release();
  } catch {
    // The system has no such /proc, or this process may not read it: the pages stay.
  }
}

/** Share of one processor below which the gateway is idle, for all of its threads together. */
const IDLE_SHARE_MAX = 0.05;
/** Interval until the first release, so that leftovers of the start are released soon. */
const FIRST_CHECK_INTERVAL_MS = 500;
const CHECK_INTERVAL_MS = 3_000;
/** Interval at which pages of the program are released, which takes a few milliseconds. Used pages return immediately. */
const IDLE_RELEASE_MS = 60_000;
const BUSY_RELEASE_MS = 600_000;
/** Time after which a gateway that is never idle releases leftovers of its start. */
const FIRST_BUSY_RELEASE_MS = 15_000;
/** Delay between the two steps: freeing heap uses pages of the program, which are released afterwards. */
const SHRINK_MS = 250;
/** Processor time after which the heap is worth shrinking again. */
const WORK_MS_MIN = 5_000;
/** Max. heap for shrinking, which collects the whole heap. A larger one would hold the event loop for too long. */
const HEAP_BYTES_MAX = 64 << 20;

/** Resource usage of the process, and ways to release its memory. */
export interface ProcessMemory {
  /** Processor time of all threads since the start, in ms. */
  processorMs(): number;
  heapBytes(): number;
  /** Frees compiled functions and empty blocks of the heap, which return when they are needed. */
  shrinkHeap(): void;
  releaseProgram(): void;
}

function createProcessMemory(): ProcessMemory {
  let pages: ProgramPages | undefined;
  return {
    processorMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    heapBytes: () => process.memoryUsage().heapUsed,
    shrinkHeap: () => Bun.shrink(),
    releaseProgram() {
      pages ??= new ProgramPages();
      pages.release();
    },
  };
}

/** Releases memory while the gateway is idle: leftovers of the start, and later of work. A busy gateway keeps its heap. */
export class IdleMemory {
  readonly name = "idle memory";
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #memory: ProcessMemory;
  #cancel: () => void = () => undefined;
  #checkIntervalMs = FIRST_CHECK_INTERVAL_MS;
  /** Processor time of the last shrink of the heap; undefined before the first one. */
  #shrunkAtMs: number | undefined;
  /** Monotonic time of the last release. */
  #releasedAtMs = 0;

  constructor(deps: { clock: Clock; log: Logger; memory?: ProcessMemory }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#memory = deps.memory ?? createProcessMemory();
  }

  start(): void {
    if (process.platform !== "linux") return;
    this.#releasedAtMs = this.#clock.monotonic() + FIRST_BUSY_RELEASE_MS - BUSY_RELEASE_MS;
    this.#scheduleCheck();
  }

  stop(): void {
    this.#cancel();
  }

  #scheduleCheck(): void {
    const [checkedAtMs, processorMs] = [this.#clock.monotonic(), this.#memory.processorMs()];
    this.#cancel = this.#clock.schedule(untilSharedWake(this.#clock, this.#checkIntervalMs), () => {
      const nowMs = this.#clock.monotonic();
      const isIdle = this.#memory.processorMs() - processorMs < IDLE_SHARE_MAX * (nowMs - checkedAtMs);
      const releaseMs = isIdle ? IDLE_RELEASE_MS : BUSY_RELEASE_MS;
      if (isIdle && this.#hasWorked()) this.#shrink();
      else if (nowMs - this.#releasedAtMs >= releaseMs) this.#release();
      else this.#scheduleCheck();
    });
  }

  #hasWorked(): boolean {
    return this.#shrunkAtMs === undefined || this.#memory.processorMs() - this.#shrunkAtMs >= WORK_MS_MIN;
  }

  #shrink(): void {
    this.#shrunkAtMs = this.#memory.processorMs();
    if (this.#memory.heapBytes() <= HEAP_BYTES_MAX) this.#memory.shrinkHeap();
    this.#cancel = this.#clock.schedule(SHRINK_MS, () => this.#release());
  }

  #release(): void {
    try {
      this.#memory.releaseProgram();
    } catch (error) {
      // Nothing depends on it. The system has no such /proc, or this process may not read it.
      this.#log.debug("pages of the program stay in memory", { error });
      return;
    }
    this.#releasedAtMs = this.#clock.monotonic();
    this.#checkIntervalMs = CHECK_INTERVAL_MS;
    this.#scheduleCheck();
  }
}
