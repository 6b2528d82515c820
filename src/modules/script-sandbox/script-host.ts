import { FFIType } from "bun:ffi";
import { readSync, writeSync } from "node:fs";
import { openLibc } from "../../platform/process/libc.ts";
import type { EngineReply, EngineRequest } from "./engine.types.ts";
import { encodeFrame, FRAME_BYTES_MAX } from "./frames.ts";
import { checkInput, createScriptEngine } from "./script-engine.ts";

const PR_SET_PDEATHSIG = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;
const RLIMIT_FSIZE = 1;
const RLIMIT_CORE = 4;
const RLIMIT_NOFILE = 7;

/**
 * Removes privileges that scripts never need, in case one escapes the interpreter: the process can no longer open files or sockets, write to disk or
 * gain rights, and is killed with the gateway. Without the machine's C library, this is skipped; the interpreter's own isolation does not depend on
 * it.
 */
function restrictProcess(): void {
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

/*
 * Process that runs scripts. It reads frames from standard input and writes frames to standard output, one at a time. It blocks while reading, has no
 * access to the gateway except this pipe, and ends when the pipe is closed.
 */

/** Warm-up runs before the first script, so that none pays for the interpreter's initialization. */
const WARM_UP_RUNS = 10;

function readExactly(length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  for (let position = 0; position < length; ) {
    const count = readSync(0, bytes, position, length - position, null);
    if (count === 0) return undefined;
    position += count;
  }
  return bytes;
}

function readRequest(): EngineRequest | undefined {
  const length = readExactly(4)?.readUInt32LE(0);
  if (length === undefined || length > FRAME_BYTES_MAX) return undefined;
  const bytes = readExactly(length);
  return bytes && (JSON.parse(bytes.toString("utf8")) as EngineRequest);
}

function write(value: EngineReply | { ready: true; processorUs: number }): void {
  const frame = encodeFrame(value);
  for (let index = 0; index < frame.length; ) index += writeSync(1, frame, index);
}

const processorUs = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Runs scripts until standard input ends; resolves to the exit code of the process. */
export async function runScriptHost(): Promise<number> {
  const engine = await createScriptEngine();
  for (let run = 0; run < WARM_UP_RUNS; run++)
    engine.execute({
      kind: "check",
      source: "function transform(message) { return message; }",
      input: checkInput,
    });
  restrictProcess();
  write({ ready: true, processorUs: processorUs() });
  for (;;) {
    const request = readRequest();
    if (request === undefined) return 0;
    try {
      write(engine.execute(request));
    } catch {
      // The interpreter itself failed for lack of stack or memory, so it must not be used again.
      const reason = { code: "script_reason.out_of_memory", params: {} };
      write({ ok: false, code: "memory", reason, console: [], usedMs: 0, processorUs: processorUs() });
      return 1;
    }
  }
}
