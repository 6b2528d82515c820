import { setPriority } from "node:os";
import { openLibc } from "./libc.ts";

const LOWEST = 19;
/** Number of the system call ioprio_set(2). */
const IOPRIO_SET: Readonly<Record<string, number>> = { x64: 251, arm64: 30 };
const OF_PROCESS = 1;
/** Class "idle", which gets the disk when nobody else wants it; see ioprio_set(2). */
const IDLE_CLASS = 3 << 13;

type Syscall = (call: number, which: number, id: number, priority: number) => unknown;
let libc: { readonly syscall: Syscall } | undefined | null = null;

/** Lets a process of ours have the processor and the disk only when nothing else needs them, as far as the system allows. */
export function makeIdle(pid: number): void {
  const call = IOPRIO_SET[process.arch];
  try {
    setPriority(pid, LOWEST);
    if (call === undefined) return;
    if (libc === null) libc = openLibc({ syscall: { args: ["i64", "i32", "i32", "i32"], returns: "i64" } });
    libc?.syscall(call, OF_PROCESS, pid, IDLE_CLASS);
  } catch {
    // The process has ended already, or a container forbids it.
  }
}
