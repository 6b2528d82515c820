import { FFIType } from "bun:ffi";
import { openLibc } from "../../platform/libc.ts";

const PR_SET_PDEATHSIG = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;
const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;

/**
 * Takes from this process what scripts never need, in case one should ever get out of the interpreter: it can open no file
 * or socket any more, write nothing to disk, gain no rights, and is killed when the gateway is. Where the machine's C library
 * is not found, the process goes without; the interpreter's own walls do not depend on it.
 */
export function restrictProcess(): void {
  const libc = openLibc({
    prctl: {
      args: [FFIType.i32, FFIType.u64, FFIType.u64, FFIType.u64, FFIType.u64],
      returns: FFIType.i32,
    },
    setrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  if (libc === undefined) return;
  const none = new BigUint64Array([0n, 0n]);
  libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  for (const limit of [RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_FSIZE]) libc.setrlimit(limit, none);
}
