import { detail, toText } from "../../lib/core/domain-error.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { JsonText } from "../../lib/json/json-text.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { FairTurns } from "../../platform/load/fair-turns.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { EngineReply, EngineRequest } from "./engine.types.ts";
import { checkInput } from "./script-engine.ts";
import { scriptLimits } from "./script-limits.ts";
import { ProcessEnded, ScriptProcess } from "./script-process.ts";
import { readEncoded, readFunctions, readResult } from "./script-responses.ts";
import { ScriptFailure } from "./script-sandbox.errors.ts";
import type {
  BreakerState,
  EncodeResult,
  EncodeRun,
  ScriptOwner,
  ScriptResult,
  ScriptRun,
} from "./script-sandbox.types.ts";

const OVERRUNS_MAX = 3;
const COOL_DOWN_MS = 60_000;
const COOL_DOWN_MS_MAX = 15 * 60_000;
/** Max. circuit breakers (previews have keys, too); the least recent overrun is forgotten first. */
const KEYS_MAX = 10_000;

interface Breaker {
  readonly sourceHash: number | bigint;
  overruns: number;
  coolDownMs: number;
  /** Monotonic time until which the breaker is open; undefined while closed. */
  openUntil: number | undefined;
  reason: Text;
}

/**
 * Circuit breakers: a script that overran three times in a row is blocked for a while, because each overrun costs a process. It then has one
 * attempt, and each failure doubles the time. A changed source starts over.
 */
class ScriptBreakers {
  readonly #now: () => number;
  /** Breakers by key, for scripts whose last run overran. */
  readonly #breakers = new Map<string, Breaker>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns undefined if `source` may run. */
  refusal(key: string, source: string): BreakerState | undefined {
    const breaker = this.#breakers.get(key);
    if (breaker === undefined) return undefined;
    if (breaker.sourceHash !== Bun.hash(source)) {
      this.#breakers.delete(key);
      return undefined;
    }
    const state = this.of(key);
    return state?.isOpen ? state : undefined;
  }

  of(key: string): BreakerState | undefined {
    const breaker = this.#breakers.get(key);
    if (breaker === undefined) return undefined;
    const retryInMs = Math.max(0, (breaker.openUntil ?? 0) - this.#now());
    return { isOpen: breaker.openUntil !== undefined && retryInMs > 0, reason: breaker.reason, retryInMs };
  }

  succeeded(key: string): void {
    this.#breakers.delete(key);
  }

  overran(key: string, source: string, reason: Text): void {
    const existingBreaker = this.#breakers.get(key);
    const sourceHash = Bun.hash(source);
    const breaker: Breaker =
      existingBreaker?.sourceHash === sourceHash
        ? existingBreaker
        : { sourceHash, overruns: 0, coolDownMs: COOL_DOWN_MS, openUntil: undefined, reason };
    breaker.overruns++;
    breaker.reason = reason;
    if (breaker.overruns >= OVERRUNS_MAX) {
      breaker.openUntil = this.#now() + breaker.coolDownMs;
      breaker.coolDownMs = Math.min(breaker.coolDownMs * 2, COOL_DOWN_MS_MAX);
    }
    this.#breakers.delete(key);
    this.#breakers.set(key, breaker);
    const [oldest] = this.#breakers.keys();
    if (this.#breakers.size > KEYS_MAX && oldest !== undefined) this.#breakers.delete(oldest);
  }

  reset(key: string): void {
    this.#breakers.delete(key);
  }
}

interface Waiting<T> {
  /** Items, oldest first. */
  readonly items: T[];
}

interface Tenant<T> {
  readonly keys: FairTurns<Waiting<T>>;
  size: number;
}

const createKeys = <T>() =>
  new FairTurns<Waiting<T>>({ create: () => ({ items: [] }), hasWork: ({ items }) => items.length > 0 });

/**
 * Waiting scripts. Tenants have equal shares of processor time and room, and so do the keys of a tenant; the items of a key are processed in order.
 * Without room, the newest item of the fullest key of the fullest tenant is removed.
 */
export class ScriptQueue<T> {
  readonly #perKeyMax: number;
  readonly #max: number;
  readonly #tenants = new FairTurns<Tenant<T>>({
    create: () => ({ keys: createKeys(), size: 0 }),
    hasWork: ({ size }) => size > 0,
  });
  #size = 0;

  constructor(limits: { perKeyMax: number; max: number }) {
    this.#perKeyMax = limits.perKeyMax;
    this.#max = limits.max;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds an item. Returns the removed item if there is no room, which may be the new one. */
  add({ tenantId, key }: ScriptOwner, item: T): T | undefined {
    const tenant = this.#tenants.of(tenantId);
    const { items } = tenant.keys.of(key);
    if (items.length >= this.#perKeyMax) return item;
    items.push(item);
    tenant.size++;
    this.#size++;
    return this.#size > this.#max ? this.#displace(tenant, items) : undefined;
  }

  /** Returns the next item of the least used key of the least used tenant. */
  take(): T | undefined {
    const turn = this.#tenants.next();
    const item = turn?.member.keys.next()?.member.items.shift();
    if (turn === undefined || item === undefined) return undefined;
    turn.member.size--;
    this.#size--;
    return item;
  }

  /** Charges the cost of a run to its owner. */
  charge({ tenantId, key }: ScriptOwner, ms: number): void {
    this.#tenants.charge(tenantId, ms);
    this.#tenants.find(tenantId)?.keys.charge(key, ms);
  }

  /** Removes an item. Among equals, the newly added item is removed. */
  #displace(newest: Tenant<T>, newestItems: T[]): T | undefined {
    let fullest = newest;
    for (const [, tenant] of this.#tenants) if (tenant.size > fullest.size) fullest = tenant;
    let items = fullest === newest ? newestItems : [];
    for (const [, waiting] of fullest.keys) if (waiting.items.length > items.length) items = waiting.items;
    fullest.size--;
    this.#size--;
    return items.pop();
  }
}

/** Max. waiting scripts. They hold their messages in memory: at most 256 of 1 MiB, usually of 1 KiB. */
const QUEUE = { perKeyMax: 64, max: 256 } as const;

/** Idle time in ms after which the process, which takes about 60 MB, is ended. */
const IDLE_MS = 60_000;

/** Delay in ms before another start, because a system that cannot start a process should not retry for each message. */
const START_AGAIN_MS = 2_000;

interface Job {
  readonly owner: ScriptOwner;
  readonly request: EngineRequest;
  resolve(reply: EngineReply): void;
  reject(error: Error): void;
}

/** Failures that end the process. */
const COSTLY: ReadonlySet<string> = new Set(["script.overrun", "script.memory"]);

interface ScriptSandboxDeps {
  /** Command line that starts a script process. */
  readonly command: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

const unavailable = () => new ScriptFailure("script.unavailable", detail("script_reason.unavailable"));

const inputOf = (value: Record<string, JsonValue | JsonText | undefined>): string =>
  JsonText.object(
    Object.entries(value).map(([name, given]) => [
      name,
      given instanceof JsonText ? given.text : JSON.stringify(given),
    ]),
  ).text;

/** @throws ScriptFailure for a script or a message above the size limit */
function ensureSize({ source, input }: EngineRequest): void {
  const { sourceBytesMax, inputBytesMax } = scriptLimits;
  if (Buffer.byteLength(source) > sourceBytesMax)
    throw new ScriptFailure(
      "script.syntax",
      detail("script_reason.source_too_long", { sourceBytesMax: sourceBytesMax / 1024 }),
    );
  if (Buffer.byteLength(input) > inputBytesMax)
    throw new ScriptFailure("script.error", detail("script_reason.message_too_large"));
}

/** Runs users' JavaScript in a separate process. Methods that run scripts reject with `ScriptFailure`. */
export class ScriptSandbox {
  readonly #breakers: ScriptBreakers;
  readonly #queue = new ScriptQueue<Job>(QUEUE);
  #isStarted = false;
  #isWorking = false;
  #process: ScriptProcess | undefined;
  #cancelIdle: (() => void) | undefined;
  /** Monotonic ms before which no process is started. */
  #startAgainAt = 0;

  readonly #deps: ScriptSandboxDeps;

  constructor(deps: ScriptSandboxDeps) {
    this.#deps = deps;
    this.#breakers = new ScriptBreakers(() => deps.clock.monotonic());
  }

  start(): void {
    this.#isStarted = true;
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancelIdle?.();
    this.#endProcess();
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) job.reject(unavailable());
  }

  async run({ source, message, metadata, frame, ...owner }: ScriptRun): Promise<ScriptResult> {
    const options = frame && { bytes: [...frame.bytes], fPort: frame.fPort, recvTime: frame.recvTime };
    const input = inputOf({ message, metadata, frame: options });
    return readResult(await this.#execute(owner, { kind: "run", source, input }));
  }

  /** Encodes an object for a device as the bytes of a downlink. */
  async encode({ source, data, fPort, ...owner }: EncodeRun): Promise<EncodeResult> {
    return readEncoded(
      await this.#execute(owner, { kind: "encode", source, input: inputOf({ data, fPort }) }),
    );
  }

  /** Returns the callable functions that a source defines. */
  async check(source: string, owner: ScriptOwner): Promise<{ readonly functions: readonly string[] }> {
    return {
      functions: readFunctions(await this.#execute(owner, { kind: "check", source, input: checkInput })),
    };
  }

  /** Returns `undefined` if no recent run has failed. */
  breakerOf(key: string): BreakerState | undefined {
    return this.#breakers.of(key);
  }

  /** Closes the breaker, because the script was restarted manually or deleted. */
  reset(key: string): void {
    this.#breakers.reset(key);
  }

  /** Process id, for tests. */
  get pid(): number | undefined {
    return this.#process?.hasEnded === false ? this.#process.pid : undefined;
  }

  async #execute(owner: ScriptOwner, request: EngineRequest): Promise<EngineReply & { ok: true }> {
    ensureSize(request);
    try {
      const reply = await this.#ask(owner, request);
      if (!reply.ok) throw new ScriptFailure(`script.${reply.code}`, reply.reason, reply);
      this.#breakers.succeeded(owner.key);
      return reply;
    } catch (error) {
      if (error instanceof ScriptFailure) this.#note(owner.key, request.source, error);
      throw error;
    }
  }

  #note(key: string, source: string, failure: ScriptFailure): void {
    if (COSTLY.has(failure.code)) this.#breakers.overran(key, source, toText(failure));
    else if (failure.code === "script.error" || failure.code === "script.output")
      this.#breakers.succeeded(key);
  }

  #ask(owner: ScriptOwner, request: EngineRequest): Promise<EngineReply> {
    if (!this.#isStarted) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const left = this.#queue.add(owner, { owner, request, resolve, reject });
      left?.reject(new ScriptFailure("script.busy", detail("script_reason.busy")));
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    const queue = this.#queue;
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#cancelIdle?.();
    for (let job = queue.take(); job !== undefined; job = queue.take()) {
      const began = performance.now();
      await this.#perform(job);
      queue.charge(job.owner, performance.now() - began);
    }
    this.#isWorking = false;
    if (this.#isStarted) this.#cancelIdle = this.#deps.clock.schedule(IDLE_MS, () => this.#endProcess());
  }

  async #perform(job: Job): Promise<void> {
    const refusal = this.#breakers.refusal(job.owner.key, job.request.source);
    if (refusal) {
      const seconds = Math.ceil(refusal.retryInMs / 1000);
      const reason = detail("script_reason.breaker", { seconds, reason: refusal.reason });
      return job.reject(new ScriptFailure("script.breaker", reason));
    }
    try {
      job.resolve(await this.#executeIn(await this.#ensureProcess(), job.request));
    } catch (error) {
      job.reject(this.#endedFailure(error));
      // Starting the next process counts for this script.
      if (this.#isStarted && this.#queue.size > 0) await this.#ensureProcess().catch(() => undefined);
    }
  }

  async #executeIn(running: ScriptProcess, request: EngineRequest): Promise<EngineReply> {
    const isFresh = running.runs === 0;
    try {
      const reply = await running.execute(request);
      // Fragmentation by earlier scripts may be the reason, so the next script starts with fresh memory.
      if (!reply.ok && reply.code === "memory") this.#endProcess();
      return reply;
    } catch (error) {
      // Ended from outside, for example by a system short of memory, so the script is retried once.
      if (isFresh || !(error instanceof ProcessEnded) || error.hasOverrun) throw error;
      return (await this.#ensureProcess()).execute(request);
    }
  }

  async #ensureProcess(): Promise<ScriptProcess> {
    const { command, clock, log } = this.#deps;
    if (!this.#isStarted) throw unavailable();
    if (this.#process && !this.#process.hasEnded) return this.#process;
    if (clock.monotonic() < this.#startAgainAt) throw unavailable();
    let started: ScriptProcess;
    try {
      started = await ScriptProcess.start(command);
    } catch (error) {
      log.error("script process does not start", { error });
      this.#startAgainAt = clock.monotonic() + START_AGAIN_MS;
      throw unavailable();
    }
    this.#process = started;
    if (this.#isStarted) return started;
    this.#endProcess();
    throw unavailable();
  }

  #endProcess(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  /** Returns the failure of a script whose process has ended. */
  #endedFailure(error: unknown): Error {
    if (!(error instanceof ProcessEnded)) return error as Error;
    if (!this.#isStarted) return unavailable();
    const { hardMs } = scriptLimits;
    return error.hasOverrun
      ? new ScriptFailure("script.overrun", detail("script_reason.ended", { hardMs }), { usedMs: hardMs })
      : new ScriptFailure("script.memory", detail("script_reason.process_ended"));
  }
}
