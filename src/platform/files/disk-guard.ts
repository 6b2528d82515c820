import { constants, rmSync, statfsSync, writeFileSync } from "node:fs";
import { access, open, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { DomainError, detail } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import type { Problem } from "../core/health.ts";
import type { Logger } from "../core/log.ts";
import type { Part } from "../process/lifecycle.ts";
import type { Clock } from "../time/clock.ts";
import { untilSharedWake } from "../time/periodic.ts";
import { FilesInPlace } from "./files-in-place.ts";
import { type StorageFault, storageFaultOf } from "./storage-fault.ts";
import { writeFaultOf } from "./write-fault.ts";

const CHECK_INTERVAL_MS = 2_000;
/** Max. share of a disk that is kept free. */
const FREE_SHARE_MAX = 0.05;
/** Min. bytes kept free for sealing, sign-in and deletions; takes precedence over `FREE_SHARE_MAX`. */
const FREE_BYTES_MIN = 8 * 1024 * 1024;
/** Max. share that `FREE_BYTES_MIN` may take of a small disk. */
const SMALL_DISK_SHARE_MAX = 0.25;
/** Estimated bytes on disk per byte: telemetry is written to the hot log and to a block, changes to the write-ahead log and the database. */
const WRITE_FACTOR = 2;
/** Share of the reserve that changes by users and programs cannot use, so that sign-in and deletions remain possible. */
const RESERVED_SHARE = 0.5;
/** Share of the free space that may be written before the disk is checked again. */
const UNSEEN_SHARE_MAX = 0.25;
/** Factor of free space at which writes are accepted again, so that the guard does not toggle. */
const RESUME_FACTOR = 1.25;
/** Consecutive read-only checks after which a file system does not become writable by itself. */
const READ_ONLY_CHECKS_MAX = 3;
/** Reserved for the case that even deletions need room, and released while the disk is short. */
const BALLAST_BYTES = 2 * 1024 * 1024;
const BALLAST = "ballast";
/** File that shows whether something can be written. */
const TRIED = "tried";

/** Releases a data directory's ballast if the disk is too full for a start. */
export function releaseBallastIfShort(directory: string): void {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < FREE_BYTES_MIN) rmSync(join(directory, BALLAST), { force: true });
}

/** Free and total bytes of the file system that holds a directory. */
export type ReadSpace = (directory: string) => Promise<{ free: number; total: number }>;

const readSpaceOfDisk: ReadSpace = async (directory) => {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, total: blocks * bsize };
};

/** Returns the size of the write-ahead logs in a directory. A checkpoint takes as much space again. */
async function logBytesIn(directory: string): Promise<number> {
  const logs = (await readdir(directory)).filter((name) => name.endsWith(".db-wal"));
  const sizes = await Promise.all(
    logs.map((name) =>
      stat(join(directory, name)).then(
        ({ size }) => size,
        () => 0, // deleted meanwhile
      ),
    ),
  );
  return sizes.reduce((total, size) => total + size, 0);
}

/** Checks whether the file system refuses writes: the kernel remounts a failing disk read-only. */
export type ReadOnlyCheck = (directory: string) => Promise<boolean>;

/**
 * Checks by opening a file for writing, without writing to it. Permissions are not sufficient: the kernel may still report a failed file system as
 * writable.
 */
const isReadOnlyDisk: ReadOnlyCheck = async (directory) => {
  try {
    await access(directory, constants.W_OK);
    await (await open(join(directory, BALLAST), "r+")).close();
    return false;
  } catch (error) {
    return storageFaultOf(error) === "readOnly";
  }
};

interface DiskGuardDeps {
  readonly directory: string;
  readonly freeBytesMin: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns whether all databases are open; default: never. */
  readonly areFilesOpen?: () => boolean;
  readonly readSpace?: ReadSpace;
  readonly isReadOnly?: ReadOnlyCheck;
}

/**
 * Refuses data before the disk is full, and accepts it again when there is room. Changes that add to the databases may use part of the reserve.
 * Reads and deletions remain possible, because a ballast file is released for them. Also refuses data that a deleted or replaced database would lose.
 */
export class DiskGuard implements Part {
  readonly name = "disk guard";
  readonly #deps: DiskGuardDeps;
  readonly #readSpace: ReadSpace;
  readonly #isReadOnly: ReadOnlyCheck;
  readonly #ballast: string;
  #isFull = false;
  /** True after a write that was refused for lack of space, although the file system has some: a quota is used up. */
  #isRefused = false;
  /** Estimated bytes written since the last check. */
  #written = 0;
  #isChecking = false;
  readonly #files: FilesInPlace;
  /** Database that was deleted or replaced. */
  #replaced: string | undefined;
  /** Consecutive checks at which the file system was read-only. */
  #readOnlyChecks = 0;
  #cancel: () => void = () => undefined;
  #stopped = false;
  /** Size of the write-ahead logs. The same amount of free space is reserved for their checkpoints. */
  #logBytes = 0;
  freeBytes = Number.POSITIVE_INFINITY;
  totalBytes = Number.POSITIVE_INFINITY;

  constructor(deps: DiskGuardDeps) {
    this.#deps = deps;
    this.#readSpace = deps.readSpace ?? readSpaceOfDisk;
    this.#isReadOnly = deps.isReadOnly ?? isReadOnlyDisk;
    this.#ballast = join(deps.directory, BALLAST);
    this.#files = new FilesInPlace(deps.directory);
  }

  async start(): Promise<void> {
    this.#stopped = false;
    await this.#check();
    if (!this.#isFull) this.#setBallast(true);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Bytes that can be written and moved into the databases before data is refused; infinite before the first check. */
  get roomBytes(): number {
    return this.freeBytes - this.#logBytes - this.#floor(this.totalBytes);
  }

  /** @throws DomainError `unavailable` while the disk is too full for data */
  ensureRoom(): void {
    this.#ensureInPlace();
    if (this.#isFull || this.#isRefused || this.#written > this.roomBytes)
      throw new DomainError("unavailable", detail("storage.disk_full"), { retryAfterSeconds: 10 });
  }

  /**
   * Counts a change of `bytes` that adds to the databases. @throws DomainError `unavailable` if it would use the reserve for sign-in and deletions
   */
  ensureRoomForChange(bytes: number): void {
    this.#ensureInPlace();
    const usable = this.roomBytes + this.#floor(this.totalBytes) * (1 - RESERVED_SHARE);
    if (this.#isRefused || this.#written > usable)
      throw new DomainError("unavailable", detail("storage.full"), { retryAfterSeconds: 10 });
    this.noteWrite(bytes);
  }

  /** Counts written bytes, and checks the disk after a large amount: fast senders can fill a small disk between two regular checks. */
  noteWrite(bytes: number): void {
    this.#written += bytes * WRITE_FACTOR;
    if (this.#isFull || this.#isChecking || this.#written < this.roomBytes * UNSEEN_SHARE_MAX) return;
    this.#cancel();
    void this.#check();
  }

  #ensureInPlace(): void {
    if (this.#replaced === undefined) return;
    const reason = detail("storage.file_replaced", { file: this.#replaced });
    throw new DomainError("unavailable", reason, { retryAfterSeconds: 10 });
  }

  /**
   * Returns why a write failed. If a quota left no space for it, which the free space of the file system does not show, nothing is accepted until
   * there is space again.
   */
  whyFailed(error: unknown): StorageFault | undefined {
    const fault = writeFaultOf(error, join(this.#deps.directory, TRIED));
    if (fault === "full" && storageFaultOf(error) !== "full" && !this.#isRefused) {
      this.#isRefused = true;
      this.#setBallast(false);
      this.#deps.log.error("no space for a write, no data accepted until there is some", {
        reason: messageOf(error),
      });
    }
    return fault;
  }

  /** Reason why data cannot be stored. */
  problem(): Problem | undefined {
    if (this.#readOnlyChecks > 0)
      return {
        severity: this.#readOnlyChecks < READ_ONLY_CHECKS_MAX ? "UNREADY" : "FATAL",
        ...detail("storage.file_system_read_only", { path: this.#deps.directory }),
      };
    if (this.#replaced !== undefined)
      return { severity: "UNREADY", ...detail("storage.file_replaced", { file: this.#replaced }) };
    return this.#isFull || this.#isRefused
      ? { severity: "UNREADY", ...detail("storage.disk_full") }
      : undefined;
  }

  async #check(): Promise<void> {
    const { directory, clock, log } = this.#deps;
    this.#isChecking = true;
    const before = this.#written;
    try {
      this.#logBytes = await logBytesIn(directory);
      const { free, total } = await this.#readSpace(directory);
      this.#written -= before;
      this.#updateState(free, total);
      if (this.#isRefused) this.#isRefused = !this.#setBallast(true);
      if (this.#deps.areFilesOpen?.() === true) this.#noteReplaced(await this.#files.findReplaced());
      this.#readOnlyChecks = (await this.#isReadOnly(directory)) ? this.#readOnlyChecks + 1 : 0;
    } catch (error) {
      log.warn("free disk space cannot be read", { error });
    }
    this.#isChecking = false;
    if (!this.#stopped) {
      const ms = untilSharedWake(clock, CHECK_INTERVAL_MS);
      this.#cancel = clock.schedule(ms, () => void this.#check());
    }
  }

  #noteReplaced(file: string | undefined): void {
    if (file !== undefined && file !== this.#replaced)
      this.#deps.log.error("database deleted or replaced while in use, no data accepted", { file });
    this.#replaced = file;
  }

  #updateState(free: number, total: number): void {
    const { log } = this.#deps;
    const floor = this.#floor(total);
    this.freeBytes = free;
    this.totalBytes = total;
    const left = free - this.#logBytes;
    if (!this.#isFull && left < floor) {
      this.#isFull = true;
      this.#setBallast(false);
      log.error("disk almost full, no data accepted until there is space", {
        freeBytes: free,
        logBytes: this.#logBytes,
        neededBytes: floor,
      });
    } else if (this.#isFull && left > floor * RESUME_FACTOR + BALLAST_BYTES) {
      this.#isFull = false;
      this.#setBallast(true);
      log.info("disk has space again", { freeBytes: free });
    }
  }

  #floor(total: number): number {
    const share = Math.max(total * FREE_SHARE_MAX, Math.min(FREE_BYTES_MIN, total * SMALL_DISK_SHARE_MAX));
    return Math.min(this.#deps.freeBytesMin, share);
  }

  /** Returns whether the ballast was created or removed; a partial file is deleted. */
  #setBallast(wanted: boolean): boolean {
    try {
      if (wanted) writeFileSync(this.#ballast, new Uint8Array(BALLAST_BYTES), { flag: "wx" });
      else rmSync(this.#ballast, { force: true });
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return true;
      this.#deps.log.debug("the ballast file could not be changed", { reason: messageOf(error) });
      if (wanted) this.#setBallast(false);
      return false;
    }
  }
}
