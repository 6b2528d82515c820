import { readSync, writeSync } from "node:fs";

/**
 * Reads and writes all bytes of the hot log. Tests and the power-cut bench replace it, because the runtime's own system calls bypass preloaded
 * libraries.
 */
export const logDisk = {
  read: readSync as (...args: LogCall) => number,
  write: writeSync as (...args: LogCall) => number,
};

type LogCall = [descriptor: number, bytes: Uint8Array, start: number, length: number, position: number];
