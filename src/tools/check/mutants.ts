import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { coveringTests } from "./covering-tests.ts";
import { applyMutant, type Mutant, mutantsOf, sampleMutants } from "./mutation.ts";
import { importsOf, parseFile, parseFiles, type SourceFile } from "./source-files.ts";

/*
 * `npm run mutants -- FILE… [--seed N] [--count N] [--tests FILE,FILE]`: changes one place of a file at a time in a copy of the checkout, and
 * runs the tests that cover the file. Mutants that survive show behavior that no test guards.
 */

const root = join(import.meta.dir, "..", "..", "..");
/** Paths that are not copied: large or private, and not read by tests of the sources. */
const NOT_COPIED = [".git", "node_modules", "dist", "data"];
/** Factor of the duration of the tests after which a mutant counts as killed. */
const TIME_FACTOR = 3;
const TIME_MIN_MS = 20_000;
const BASELINE_MS_MAX = 600_000;

type Outcome = "killed" | "killed by time-out" | "survived";

/** Copy of the checkout with changeable files. */
class MutantCopy {
  readonly #directory = mkdtempSync(join(tmpdir(), "lineside-mutants-"));
  #running: Bun.Subprocess | undefined;

  constructor() {
    cpSync(root, this.#directory, {
      recursive: true,
      filter: (path) => !NOT_COPIED.includes(relative(root, path)),
    });
    symlinkSync(join(root, "node_modules"), join(this.#directory, "node_modules"));
  }

  write(path: string, text: string): Promise<number> {
    return Bun.write(join(this.#directory, path), text);
  }

  /** Runs tests until the first failure. */
  async run(tests: readonly string[], timeoutMs: number): Promise<{ outcome: Outcome; tookMs: number }> {
    const startedAt = performance.now();
    const files = tests.map((path) => `./${path}`);
    const child = Bun.spawn([process.execPath, "test", "--bail", "--timeout", "30000", ...files], {
      cwd: this.#directory,
      env: { ...process.env, TMPDIR: this.#temporary() },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    });
    this.#running = child;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#kill();
    }, timeoutMs);
    const code = await child.exited;
    clearTimeout(timer);
    this.#kill();
    const outcome = isLate ? "killed by time-out" : code === 0 ? "survived" : "killed";
    return { outcome, tookMs: performance.now() - startedAt };
  }

  remove(): void {
    this.#kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Temporary directory. Files left behind by killed tests are deleted with the copy. */
  #temporary(): string {
    return mkdtempSync(join(this.#directory, ".tmp-"));
  }

  /** Ends the tests and all programs that they started. */
  #kill(): void {
    if (this.#running === undefined) return;
    try {
      process.kill(-this.#running.pid, "SIGKILL");
    } catch {
      // all of them have ended
    }
    this.#running = undefined;
  }
}

interface Score {
  readonly killed: number;
  readonly late: number;
  readonly all: number;
}

const lineOf = ({ ast }: SourceFile, { start }: Mutant): number =>
  ast.getLineAndCharacterOfPosition(start).line + 1;

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
};

/** Tests of a file, in groups that run in sequence until one of them kills the mutant. */
type TestGroups = readonly (readonly string[])[];

async function runGroups(copy: MutantCopy, groups: TestGroups, limits: readonly number[]): Promise<Outcome> {
  for (const [index, tests] of groups.entries()) {
    const { outcome } = await copy.run(tests, limits[index] ?? BASELINE_MS_MAX);
    if (outcome !== "survived") return outcome;
  }
  return "survived";
}

/** Runs the tests without a mutant. Returns the time limit of each group, in ms. */
async function measureGroups(copy: MutantCopy, groups: TestGroups): Promise<number[]> {
  const limits: number[] = [];
  for (const tests of groups) {
    const { outcome, tookMs } = await copy.run(tests, BASELINE_MS_MAX);
    if (outcome !== "survived") throw new Error(`tests fail without a mutant: ${tests.join(", ")}`);
    limits.push(Math.max(TIME_MIN_MS, tookMs * TIME_FACTOR));
  }
  return limits;
}

async function testMutants(
  copy: MutantCopy,
  file: SourceFile,
  { mutants, groups }: { readonly mutants: readonly Mutant[]; readonly groups: TestGroups },
): Promise<Score> {
  const limits = await measureGroups(copy, groups);
  const outcomes: Outcome[] = [];
  for (const mutant of mutants) {
    await copy.write(file.path, applyMutant(file.text, mutant));
    const outcome = await runGroups(copy, groups, limits);
    outcomes.push(outcome);
    const before = oneLine(file.text.slice(mutant.start, mutant.end));
    console.log(
      `${outcome.padEnd(18)}  ${file.path}:${lineOf(file, mutant)}  ${before} → ${oneLine(mutant.replacement)}`,
    );
  }
  await copy.write(file.path, file.text);
  const late = outcomes.filter((outcome) => outcome === "killed by time-out").length;
  const survived = outcomes.filter((outcome) => outcome === "survived").length;
  return { killed: outcomes.length - survived, late, all: outcomes.length };
}

const describeScore = ({ killed, late, all }: Score): string =>
  `${killed} of ${all} mutants killed (${all === 0 ? 100 : Math.round((killed / all) * 100)} %), ${late} of them by time-out`;

function readOptions() {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "20" },
      tests: { type: "string" },
    },
  });
  const [seed, count] = [Number(values.seed), Number(values.count)];
  const paths = positionals.map((path) => relative(root, resolve(path)));
  const isUsable =
    paths.length > 0 &&
    Number.isInteger(seed) &&
    count >= 1 &&
    paths.every((path) => existsSync(join(root, path)));
  return isUsable ? { seed, count, paths, tests: values.tests?.split(",") } : undefined;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error("Usage: npm run mutants -- FILE… [--seed 1] [--count 20] [--tests FILE,FILE]");
    return 2;
  }
  const { paths, seed, count } = options;
  const sources =
    options.tests === undefined ? ["src", "test"].flatMap((name) => parseFiles(root, name)) : [];
  const imports = new Map(sources.map((file) => [file.path, importsOf(file)]));
  const copy = new MutantCopy();
  process.on("exit", () => copy.remove());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  const scores: Score[] = [];
  for (const path of paths) {
    const file = parseFile(root, path);
    const groups = options.tests === undefined ? coveringTests(path, imports) : [options.tests];
    if (groups.length === 0) throw new Error(`no test imports ${path}; name tests with --tests`);
    console.log(`${path}: ${groups.flat().join(", ")}`);
    const mutants = sampleMutants(mutantsOf(file.ast), { count, seed });
    const score = await testMutants(copy, file, { mutants, groups });
    scores.push(score);
    console.log(`${path}: ${describeScore(score)}\n`);
  }
  const sum = (of: keyof Score) => scores.reduce((total, score) => total + score[of], 0);
  if (scores.length > 1)
    console.log(`all: ${describeScore({ killed: sum("killed"), late: sum("late"), all: sum("all") })}`);
  return 0;
}

if (import.meta.main) process.exit(await main());
