import { writeSync } from "node:fs";

/**
 * The way in which all bytes of the hot log are written. A recorder of what reaches the disk takes its place, because the runtime's own
 * system calls pass by preloaded libraries.
 */
export const logDisk = { write: writeSync as (...args: LogWrite) => number };

type LogWrite = [descriptor: number, bytes: Uint8Array, start: number, length: number, position: number];
