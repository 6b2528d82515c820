import { rmSync, statfs, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { DomainError, detail } from "../lib/domain-error.ts";
import type { Clock } from "./clock.ts";
import type { Logger } from "./log.ts";

const CHECK_INTERVAL_MS = 2_000;
/** Share of a small disk that is kept free at most. */
const FREE_SHARE_MAX = 0.05;
/** Writes are taken again only with this much more room, so that the guard does not flutter. */
const RESUME_FACTOR = 1.25;
/** Held back for the day when even deleting needs room: released while the disk is short. */
const BALLAST_BYTES = 2 * 1024 * 1024;

/** Free and total bytes of the file system that holds a directory. */
export type ReadSpace = (directory: string) => Promise<{ free: number; total: number }>;

const readSpaceOfDisk: ReadSpace = async (directory) => {
  const { bavail, blocks, bsize } = await promisify(statfs)(directory);
  return { free: bavail * bsize, total: blocks * bsize };
};

/**
 * Stops taking data before the disk is full, and takes it again by itself when there is room. Reads and deletions stay possible
 * all the while: a ballast file is given up for them.
 */
export function createDiskGuard(deps: {
  directory: string;
  freeBytesMin: number;
  clock: Clock;
  log: Logger;
  readSpace?: ReadSpace;
}) {
  const { directory, clock, log } = deps;
  const readSpace = deps.readSpace ?? readSpaceOfDisk;
  const ballast = join(directory, "ballast");
  let freeBytes = Number.POSITIVE_INFINITY;
  let isFull = false;
  let cancel: () => void = () => undefined;
  let stopped = false;

  function setBallast(wanted: boolean): void {
    try {
      if (wanted) writeFileSync(ballast, new Uint8Array(BALLAST_BYTES), { flag: "wx" });
      else rmSync(ballast, { force: true });
    } catch (error) {
      const exists = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!exists) log.debug("the ballast file could not be changed", { error });
    }
  }

  function updateState(free: number, total: number): void {
    const floor = Math.min(deps.freeBytesMin, total * FREE_SHARE_MAX);
    freeBytes = free;
    if (!isFull && free < floor) {
      isFull = true;
      setBallast(false);
      log.error("the disk is almost full: no data is accepted until there is space", {
        freeBytes: free,
        neededBytes: floor,
      });
    } else if (isFull && free > floor * RESUME_FACTOR + BALLAST_BYTES) {
      isFull = false;
      setBallast(true);
      log.info("there is space on the disk again", { freeBytes: free });
    }
  }

  async function check(): Promise<void> {
    try {
      const { free, total } = await readSpace(directory);
      updateState(free, total);
    } catch (error) {
      log.warn("free disk space cannot be read", { error });
    }
    if (!stopped)
      cancel = clock.schedule(CHECK_INTERVAL_MS, () => {
        void check();
      });
  }

  return {
    name: "disk guard",
    async start(): Promise<void> {
      stopped = false;
      await check();
      if (!isFull) setBallast(true);
    },
    stop(): void {
      stopped = true;
      cancel();
    },
    /** Throws `unavailable` while the disk is too full to take data. */
    ensureRoom(): void {
      if (isFull)
        throw new DomainError("unavailable", detail("storage.disk_full"), { retryAfterSeconds: 10 });
    },
    get freeBytes(): number {
      return freeBytes;
    },
  };
}

export type DiskGuard = ReturnType<typeof createDiskGuard>;
