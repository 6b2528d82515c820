import { detail, textOf } from "../../lib/domain-error.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import type { EngineReply, EngineRequest } from "./engine.types.ts";
import { readEncoded, readFunctions, readResult } from "./script-answers.ts";
import { ScriptBreakers } from "./script-breakers.ts";
import { checkInput } from "./script-engine.ts";
import { scriptLimits } from "./script-limits.ts";
import { ProcessEnded, ScriptProcess } from "./script-process.ts";
import { ScriptQueue } from "./script-queue.ts";
import { ScriptFailure } from "./script-sandbox.errors.ts";
import type { ScriptSandbox } from "./script-sandbox.types.ts";

/** Waiting scripts hold their messages in memory: 256 of 1 MiB at the very most, and usually of 1 KiB. */
const QUEUE = { perKeyMax: 64, max: 256 } as const;

/** The process takes some 60 MB; a gateway whose scripts run now and then goes without it in between. */
const IDLE_MS = 60_000;

/** A system that starts no process now will not for each message either. */
const START_AGAIN_MS = 2_000;

interface Job {
  readonly key: string;
  readonly request: EngineRequest;
  resolve(reply: EngineReply): void;
  reject(error: Error): void;
}

/** Failures that cost a process. */
const costly: ReadonlySet<string> = new Set(["script.overrun", "script.memory"]);

export function createScriptSandbox(deps: {
  /** Holds what starts a script process. */
  command: readonly string[];
  clock: Clock;
  log: Logger;
}): ScriptSandbox & { /** For tests. */ readonly pid: number | undefined } {
  const { clock, log } = deps;
  const breakers = new ScriptBreakers(() => clock.monotonic());
  const queue = new ScriptQueue<Job>(QUEUE);
  let isStarted = false;
  let isWorking = false;
  let process: ScriptProcess | undefined;
  let cancelIdle: (() => void) | undefined;
  let startAgainAt = 0;

  const unavailable = () => new ScriptFailure("script.unavailable", detail("script_reason.unavailable"));

  function ask(key: string, request: EngineRequest): Promise<EngineReply> {
    if (!isStarted) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      if (!queue.add(key, { key, request, resolve, reject }))
        return reject(new ScriptFailure("script.busy", detail("script_reason.busy")));
      void work();
    });
  }

  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    cancelIdle?.();
    for (let job = queue.take(); job !== undefined; job = queue.take()) {
      const began = performance.now();
      await perform(job);
      queue.charge(job.key, performance.now() - began);
    }
    isWorking = false;
    if (isStarted) cancelIdle = clock.schedule(IDLE_MS, endProcess);
  }

  function endProcess(): void {
    process?.kill();
    process = undefined;
  }

  async function perform(job: Job): Promise<void> {
    const refusal = breakers.refusal(job.key, job.request.source);
    if (refusal) {
      const seconds = Math.ceil(refusal.retryInMs / 1000);
      const reason = detail("script_reason.breaker", { seconds, reason: refusal.reason });
      return job.reject(new ScriptFailure("script.breaker", reason));
    }
    try {
      job.resolve(await executeIn(await ensureProcess(), job.request));
    } catch (error) {
      job.reject(endedFailure(error));
      // The next process is at this one's cost.
      if (isStarted && queue.size > 0) await ensureProcess().catch(() => undefined);
    }
  }

  async function executeIn(running: ScriptProcess, request: EngineRequest): Promise<EngineReply> {
    const isFresh = running.runs === 0;
    try {
      const reply = await running.execute(request);
      // What earlier scripts left in pieces may be why: the next one begins in whole memory.
      if (!reply.ok && reply.code === "memory") endProcess();
      return reply;
    } catch (error) {
      // Ended from outside, as by a system short of memory: no script has had a part in what is tried once more.
      if (isFresh || !(error instanceof ProcessEnded) || error.hasOverrun) throw error;
      return (await ensureProcess()).execute(request);
    }
  }

  async function ensureProcess(): Promise<ScriptProcess> {
    if (!isStarted) throw unavailable();
    if (process && !process.hasEnded) return process;
    if (clock.monotonic() < startAgainAt) throw unavailable();
    try {
      process = await ScriptProcess.start(deps.command);
    } catch (error) {
      log.error("the script process does not start", { error });
      startAgainAt = clock.monotonic() + START_AGAIN_MS;
      throw unavailable();
    }
    if (isStarted) return process;
    endProcess();
    throw unavailable();
  }

  function endedFailure(error: unknown): Error {
    if (!(error instanceof ProcessEnded)) return error as Error;
    if (!isStarted) return unavailable();
    return error.hasOverrun
      ? new ScriptFailure("script.overrun", detail("script_reason.ended", { hardMs: scriptLimits.hardMs }), {
          usedMs: scriptLimits.hardMs,
        })
      : new ScriptFailure("script.memory", detail("script_reason.process_ended"));
  }

  async function execute(key: string, request: EngineRequest): Promise<EngineReply & { ok: true }> {
    if (Buffer.byteLength(request.source) > scriptLimits.sourceBytesMax)
      throw new ScriptFailure(
        "script.syntax",
        detail("script_reason.source_too_long", { sourceBytesMax: scriptLimits.sourceBytesMax / 1024 }),
      );
    if (Buffer.byteLength(request.input) > scriptLimits.inputBytesMax)
      throw new ScriptFailure("script.error", detail("script_reason.message_too_large"));
    try {
      const reply = await ask(key, request);
      if (!reply.ok) throw new ScriptFailure(`script.${reply.code}`, reply.reason, reply);
      breakers.succeeded(key);
      return reply;
    } catch (error) {
      if (error instanceof ScriptFailure) note(key, request.source, error);
      throw error;
    }
  }

  function note(key: string, source: string, failure: ScriptFailure): void {
    if (costly.has(failure.code)) breakers.overran(key, source, textOf(failure));
    else if (failure.code === "script.error" || failure.code === "script.output") breakers.succeeded(key);
  }

  const inputOf = (value: Record<string, JsonValue | undefined>) => JSON.stringify(value);

  return {
    async run({ source, key, message, metadata, frame }) {
      const options = frame && { bytes: [...frame.bytes], fPort: frame.fPort, recvTime: frame.recvTime };
      const input = inputOf({ message, metadata, frame: options });
      return readResult(await execute(key, { kind: "run", source, input }));
    },
    async encode({ source, key, data, fPort }) {
      return readEncoded(await execute(key, { kind: "encode", source, input: inputOf({ data, fPort }) }));
    },
    async check(source, key) {
      return { functions: readFunctions(await execute(key, { kind: "check", source, input: checkInput })) };
    },
    breakerOf: (key) => breakers.of(key),
    reset: (key) => breakers.reset(key),
    start() {
      isStarted = true;
    },
    async stop() {
      isStarted = false;
      cancelIdle?.();
      endProcess();
      for (let job = queue.take(); job !== undefined; job = queue.take()) job.reject(unavailable());
    },
    get pid() {
      return process?.hasEnded === false ? process.pid : undefined;
    },
  };
}
