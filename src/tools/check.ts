import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/*
 * `npm run check`: everything that is checked without running the program. Prints one line a check and, last,
 * `checks: N passed, N failed`.
 */

const root = join(import.meta.dir, "..", "..");
const bin = (name: string) => join(root, "node_modules", ".bin", name);
/** The native compiler; the one in JavaScript is there for generators of API clients and for the vocabulary check. */
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

/** Generates migrations into a copy of the folder: a new file there means that the tables have moved on. */
async function checkDrift(name: string): Promise<Result> {
  const work = join(root, "dist", `.drift-${name}`);
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await cp(join(root, "drizzle", name), join(work, "out"), { recursive: true });
  const before = await readdir(join(work, "out"));
  const config = `import base from "../../drizzle.${name}.config.ts";\nexport default { ...base, out: "./dist/.drift-${name}/out" };\n`;
  await Bun.write(join(work, "drizzle.config.ts"), config);
  const generated = await run([
    bin("drizzle-kit"),
    "generate",
    "--config",
    join("dist", `.drift-${name}`, "drizzle.config.ts"),
  ]);
  const added = (await readdir(join(work, "out"))).filter((file) => !before.includes(file));
  await rm(work, { recursive: true, force: true });
  if (!generated.ok) return generated;
  return {
    ok: added.length === 0,
    output:
      added.length === 0
        ? ""
        : `the tables of ${name} have changed: run npm run migration -- <name> (${added.join(", ")})`,
  };
}

const checks: Record<string, () => Promise<Result>> = {
  "format and lint": () => run([bin("biome"), "ci", "."]),
  "types of the program and its tests": () => run(["node", compiler, "--noEmit", "-p", "."]),
  "types of the console": () => run(["node", compiler, "--noEmit", "-p", "src/web"]),
  "types of the browser tests": () => run(["node", compiler, "--noEmit", "-p", "test/browser"]),
  "dead code": () => run([bin("knip")]),
  "migrations of lineside": () => checkDrift("lineside"),
  "migrations of identity": () => checkDrift("identity"),
  "configuration docs": () => run([process.execPath, join("src", "tools", "docs.ts"), "--check"]),
  vocabulary: () => run([process.execPath, join("src", "tools", "vocabulary.ts")]),
};

if (!existsSync(bin("biome"))) throw new Error("the packages are not installed");
let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  const { ok, output } = await check();
  console.log(`${ok ? "ok    " : "FAILED"} ${name}`);
  if (!ok) {
    failed++;
    console.log(output.trimEnd());
  }
}
console.log(`checks: ${Object.keys(checks).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
