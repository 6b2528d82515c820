import { readSync, writeSync } from "node:fs";
import type { EngineReply, EngineRequest } from "./engine.types.ts";
import { encodeFrame, FRAME_BYTES_MAX } from "./frames.ts";
import { restrictProcess } from "./restrict-process.ts";
import { checkInput, createScriptEngine } from "./script-engine.ts";

/*
 * The process that scripts run in: frames in on standard input, frames out on standard output, one after the other. It
 * waits in the read, knows nothing of the gateway but this pipe, and ends with it.
 */

/** Runs before the first script, so that none pays for the interpreter's own first steps. */
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

/** Answers scripts until its standard input ends; resolves to the process's exit code. */
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
      // The interpreter itself broke, by a stack or a memory that was at its end: nothing of it may be used again.
      const reason = { code: "script_reason.out_of_memory", params: {} };
      write({ ok: false, code: "memory", reason, console: [], usedMs: 0, processorUs: processorUs() });
      return 1;
    }
  }
}
