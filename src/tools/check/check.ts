import { existsSync } from "node:fs";
import { join } from "node:path";
import { findDrift } from "./drift.ts";

/*
 * `npm run check`: everything that is checked without running the program. Prints one line per check as each finishes, and
 * last `checks: N passed, N failed`. `npm run check -- vocabulary "dead code"` runs the checks with these names.
 */

const root = join(import.meta.dir, "..", "..", "..");
const bin = (name: string) => join(root, "node_modules", ".bin", name);
/** The native compiler. The one in JavaScript is for generators of API clients and for the vocabulary check. */
const compiler = join(root, "node_modules", "typescript-native", "bin", "tsc");

interface Result {
  readonly ok: boolean;
  readonly output: string;
}

async function run(command: readonly string[]): Promise<Result> {
  const child = Bun.spawn([...command], { cwd: root, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { ok: code === 0, output: `${stdout}${stderr}` };
}

async function checkDrift(name: string): Promise<Result> {
  const drift = await findDrift(name, { config: `drizzle/${name}.config.ts`, migrations: `drizzle/${name}` });
  return { ok: drift === undefined, output: drift ?? "" };
}

const checks: Record<string, () => Promise<Result>> = {
  "format and lint": () => run([bin("biome"), "ci", "."]),
  "types of the program and its tests": () => run(["node", compiler, "--noEmit", "-p", "."]),
  "types of the console": () => run(["node", compiler, "--noEmit", "-p", "src/web"]),
  "types of the browser tests": () => run(["node", compiler, "--noEmit", "-p", "test/browser"]),
  "dead code": () => run([bin("knip")]),
  "migrations of lineside": () => checkDrift("lineside"),
  "migrations of identity": () => checkDrift("identity"),
  "generated docs": () => run([process.execPath, join("src", "tools", "docs", "docs.ts"), "--check"]),
  "length of functions": () => run([process.execPath, join("src", "tools", "check", "long-functions.ts")]),
  "duplicated code": () => run([process.execPath, join("src", "tools", "check", "code-duplicates.ts")]),
  "style of code": () => run([process.execPath, join("src", "tools", "check", "code-style.ts")]),
  vocabulary: () => run([process.execPath, join("src", "tools", "check", "vocabulary.ts")]),
};

if (!existsSync(bin("biome"))) throw new Error("the packages are not installed");
const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(checks, name));
if (unknown.length > 0)
  throw new Error(
    `no check has the name ${unknown.join(", ")}; the names are ${Object.keys(checks).join(", ")}`,
  );
let failed = 0;
const chosen = Object.entries(checks).filter(([name]) => names.length === 0 || names.includes(name));

const next = chosen.values(); // shared by both workers

async function work(): Promise<void> {
  for (const [name, check] of next) {
    const { ok, output } = await check();
    console.log(`${ok ? "ok    " : "FAILED"} ${name}`);
    if (ok) continue;
    failed++;
    console.log(output.trimEnd());
  }
}

// Most of them keep one processor busy.
await Promise.all([work(), work()]);
console.log(`checks: ${chosen.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
