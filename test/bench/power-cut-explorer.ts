/** Opens crash states of a recorded run and looks whether all is there; see power-cuts.ts. Prints its findings as JSON. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeviceId } from "../../src/lib/core/ids.ts";
import { packedTextReader } from "../../src/lib/data/packed-texts.ts";
import { scanTask } from "../../src/modules/telemetry/store/query/scan-task.ts";
import type { WireChunk } from "../../src/modules/telemetry/store/query/wire-chunk.types.ts";
import { StoreEngine } from "../../src/modules/telemetry/store/store-engine.ts";
import { checkTask } from "../../src/modules/telemetry/store/upkeep/check-task.ts";
import { deletionTask } from "../../src/modules/telemetry/store/upkeep/deletion-tasks.ts";
import type { Steps } from "../../src/modules/telemetry/store/upkeep/slice-scheduler.ts";
import { powerCutScript, rowAt, scriptDevices } from "./power-cut-script.ts";
import {
  Disk,
  type Entry,
  Expectation,
  readEntries,
  recordedFiles,
  smallStore,
  type Variant,
} from "./power-cut-state.ts";
import { remove, temporaryDirectory } from "./processes.ts";

export interface Findings {
  readonly states: number;
  /** States that could not be opened, or in which something cannot be read. */
  readonly corrupt: number;
  /** States in which something acknowledged is missing. */
  readonly lost: number;
  /** States in which something is there that nobody sent, or that was deleted. */
  readonly invented: number;
  readonly examples: readonly string[];
}

/** The parts in which the ways of losing power are tried, for each moment. */
const mixture: readonly Variant[] = [
  "none",
  "pages",
  "order",
  "sectors",
  "pages",
  "all",
  "order",
  "sectors",
  "pages",
  "sectors",
];

const engineOptions = {
  bucketMs: 3_600_000,
  settledMs: 60_000,
  hotGroupsMax: 100_000,
  hotGroupsPerDevice: 0,
  hotBytesMax: 1 << 27,
  ...smallStore,
};
const examplesMax = 5;

function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

function valueIn({ columns }: WireChunk, key: string, row: number): number | string | undefined {
  const column = columns.find((candidate) => candidate.key === key);
  if (column === undefined || column.tags[row] === 0) return undefined;
  return column.texts === null ? column.numbers[row] : packedTextReader(column.texts)(row);
}

/** The device's rows; throws when one is not what was sent. */
function timesOf(engine: StoreEngine, device: string): Set<number> {
  const times = new Set<number>();
  for (let from = 0; ; ) {
    // any text is an id to the store
    const chunk = finish(scanTask(engine, { deviceId: device as DeviceId, keys: [], from, to: 1e9 }));
    if (chunk === null) return times;
    for (const [row, ts] of chunk.ts.entries()) {
      const { values } = rowAt(ts);
      for (const key of ["n", "text"])
        if (valueIn(chunk, key, row) !== values[key])
          throw new Error(`${device} at ${ts}: ${key} is ${valueIn(chunk, key, row)}, not ${values[key]}`);
      times.add(ts);
    }
    from = chunk.to + 1;
  }
}

type Verdict =
  | { readonly kind: "sound" }
  | { readonly kind: "corrupt" | "lost" | "invented"; readonly why: string };

function check(file: string, expectation: Expectation): Verdict {
  let engine: StoreEngine | null = null;
  try {
    engine = new StoreEngine({ file, ...engineOptions });
    engine.recover();
    for (const [id, deletion] of engine.deletions.entries()) finish(deletionTask(engine, deletion, id));
    const { problems } = finish(checkTask(engine));
    const damaged = [...problems, ...engine.damagedHotRows];
    if (damaged.length > 0) return { kind: "corrupt", why: damaged.join("; ") };
    for (const device of scriptDevices) {
      const found = timesOf(engine, device);
      const missing = [...(expectation.certain.get(device) ?? [])].filter((ts) => !found.has(ts));
      if (missing.length > 0) return { kind: "lost", why: `${device} lacks ${missing.join(", ")}` };
      const possible = expectation.possible.get(device);
      const strange = [...found].filter((ts) => possible?.has(ts) !== true);
      if (strange.length > 0) return { kind: "invented", why: `${device} has ${strange.join(", ")}` };
    }
    return { kind: "sound" };
  } catch (error) {
    return { kind: "corrupt", why: error instanceof Error ? error.message : String(error) };
  } finally {
    engine?.file.close();
  }
}

export interface Exploration {
  readonly log: string;
  readonly seed: number;
  readonly steps: number;
  readonly states: number;
  /** This process takes each `shards`-th state, beginning with number `shard`. */
  readonly shard: number;
  readonly shards: number;
  /** True to simulate a disk that keeps nothing, which is `synchronous=OFF`. */
  readonly withoutSyncs: boolean;
}

/** Opens what a cut left, in files of their own: what could not be opened may stay locked. */
function checkState(file: string, images: readonly Uint8Array[], expectation: Expectation): Verdict {
  for (const [number, suffix] of recordedFiles.entries())
    if (images[number] !== undefined && images[number].length > 0)
      writeFileSync(file + suffix, images[number]);
  const verdict = check(file, expectation);
  for (const suffix of [...recordedFiles, "-shm"]) rmSync(file + suffix, { force: true });
  return verdict;
}

/**
 * The entries of the record, each with the numbers of the states that are opened behind it. None before the first mark: what
 * makes the file is guarded by a rollback journal, which is not recorded.
 */
function* moments(entries: readonly Entry[], { states, shard, shards }: Exploration) {
  const start = entries.findIndex(({ kind }) => kind === "mark");
  let state = 0;
  for (const [index, entry] of entries.entries()) {
    const due: number[] = [];
    const end = Math.floor(((index + 1 - start) / (entries.length - start)) * states);
    for (; state < end; state++) if (state % shards === shard) due.push(state);
    yield { index, entry, due };
  }
}

export function explore(exploration: Exploration): Findings {
  const { seed, steps, shards, withoutSyncs } = exploration;
  const directory = temporaryDirectory();
  const script = [...powerCutScript(seed, steps)].filter(({ kind }) => kind !== "compact");
  const expectation = new Expectation(script);
  const disk = new Disk();
  const entries = [...readEntries(readFileSync(exploration.log))];
  const counts = { states: 0, corrupt: 0, lost: 0, invented: 0 };
  const examples: string[] = [];
  for (const { index, entry, due } of moments(entries, exploration)) {
    if (entry.kind === "mark") expectation.take(entry.number);
    else if (entry.kind !== "sync" || !withoutSyncs) disk.apply(entry);
    for (const state of due) {
      const variant = mixture[Math.floor(state / shards) % mixture.length] ?? "all";
      const verdict = checkState(join(directory, `${state}.db`), disk.after(variant, state), expectation);
      counts.states++;
      if (verdict.kind === "sound") continue;
      counts[verdict.kind]++;
      const why = verdict.why.slice(0, 300);
      if (examples.length < examplesMax)
        examples.push(`entry ${index}, state ${state}, ${variant}: ${verdict.kind}: ${why}`);
    }
  }
  remove(directory);
  return { ...counts, examples };
}

if (import.meta.main) {
  const [exploration = "{}"] = process.argv.slice(2);
  process.stdout.write(JSON.stringify(explore(JSON.parse(exploration))));
}
