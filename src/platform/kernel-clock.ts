import { ptr } from "bun:ffi";
import { openLibc } from "./libc.ts";

/** Size of `struct timex`, with a margin; see adjtimex(2). The offsets below are for 64-bit Linux. */
const TIMEX_BYTES = 256;
const STATUS = 40;
const SECONDS = 72;
/** Status bit: nothing has synchronized the clock. */
const STA_UNSYNC = 0x40;
/** Return value: the clock is not synchronized. */
const TIME_ERROR = 5;
const MS = 1_000;
/** Max. difference between the kernel's time and this process's time. */
const DIFFERENCE_MS_MAX = 60_000;

let libc: { adjtimex(buffer: ReturnType<typeof ptr>): number } | undefined | null = null;

/**
 * Returns whether a time server synchronizes the kernel's clock: chrony, ntpd and systemd-timesyncd all inform the kernel. `wall` is this process's
 * time, in epoch ms; a process with shifted time has no synchronized clock.
 */
export function isKernelClockSynchronized(wall: number): boolean {
  if (libc === null) libc = openLibc({ adjtimex: { args: ["ptr"], returns: "i32" } });
  if (libc === undefined) return false;
  const timex = Buffer.alloc(TIMEX_BYTES);
  const state = libc.adjtimex(ptr(timex));
  if (state < 0 || state === TIME_ERROR || (timex.readInt32LE(STATUS) & STA_UNSYNC) !== 0) return false;
  return Math.abs(Number(timex.readBigInt64LE(SECONDS)) * MS - wall) < DIFFERENCE_MS_MAX;
}
