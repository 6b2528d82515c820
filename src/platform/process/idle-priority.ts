import { setPriority } from "node:os";
import { openLibc } from "./libc.ts";

const LOWEST = 19;
/** Number of the system call ioprio_set(2). */
const IOPRIO_SET: Readonly<Record<string, number>> = { x64: 251, arm64: 30 };
const OF_PROCESS = 1;
/** I/O class "idle", which gets the disk only when no other process needs it; see ioprio_set(2). */
const IDLE_CLASS = 3 << 13;

type Syscall = (call: number, which: number, id: number, priority: number) => unknown;
let libc: { readonly syscall: Syscall } | undefined | null = null;

/** Gives a child process CPU and disk only when nothing else needs them, if the system allows it. */
export function makeIdle(pid: number): void {
  const call = IOPRIO_SET[process.arch];
  try {
    setPriority(pid, LOWEST);
    if (call === undefined) return;
    if (libc === null) libc = openLibc({ syscall: { args: ["i64", "i32", "i32", "i32"], returns: "i64" } });
    libc?.syscall(call, OF_PROCESS, pid, IDLE_CLASS);
  } catch {
    // The process has already ended, or the container does not allow it.
  }
}
