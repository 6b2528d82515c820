import { writeSync } from "node:fs";

/**
 * Writes all bytes of the hot log. The power-cut bench replaces it, because the runtime's own system calls bypass preloaded libraries.
 */
export const logDisk = { write: writeSync as (...args: LogWrite) => number };

type LogWrite = [descriptor: number, bytes: Uint8Array, start: number, length: number, position: number];
