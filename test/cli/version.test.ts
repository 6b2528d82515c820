import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildLicenses } from "../../src/tools/release/licenses.ts";
import { PROGRAM } from "../support/program.ts";

const hasGit = Bun.which("git") !== null;
const root = join(import.meta.dir, "..", "..");

async function run(command: readonly string[], cwd = root): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...command], {
    cwd,
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env.PATH },
  });
  const output = await new Response(child.stdout).text();
  return { code: await child.exited, output };
}
const lineside = (...args: string[]) => run([...PROGRAM, ...args]);

test("--version and version print the package's version and the commit", async () => {
  const commit = hasGit ? (await run(["git", "rev-parse", "--short=7", "HEAD"])).output.trim() : "";
  const expected = { code: 0, output: `lineside ${manifest.version} (${commit || "unknown"})\n` };
  expect(await lineside("--version")).toEqual(expected);
  expect(await lineside("version")).toEqual(expected);
});

test.if(hasGit)("sources without git have an unknown commit, also inside another repository", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-version-"));
  try {
    await run(["git", "init", "--quiet"], directory);
    await run(
      ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "a"],
      directory,
    );
    const copy = join(directory, "lineside", "src");
    await cp(join(root, "src", "version.ts"), join(copy, "version.ts"));
    await cp(join(root, "package.json"), join(copy, "..", "package.json"));
    const script = `import { versionText } from ${JSON.stringify(join(copy, "version.ts"))}; console.log(versionText());`;
    const { output } = await run([process.execPath, "-e", script]);
    expect(output).toBe(`lineside ${manifest.version} (unknown)\n`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test("licenses prints the licenses of the program and of the packages inside it", async () => {
  if (!existsSync(join(root, "static", "licenses"))) await buildLicenses();
  const { code, output } = await lineside("licenses");
  expect(code).toBe(0);
  for (const part of [
    "The Lineside authors",
    `aedes ${manifest.dependencies.aedes} (MIT)`,
    "GNU LESSER GENERAL PUBLIC LICENSE",
  ])
    expect(output).toContain(part);
});
