import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };

/** What the compiled program says about itself, far from the checkout that it was built from. */

const executable = join(import.meta.dir, "..", "..", "dist", `lineside-linux-${process.arch}`);

async function run(argument: string): Promise<string> {
  const child = Bun.spawn([executable, argument], { cwd: tmpdir(), env: {}, stdout: "pipe" });
  const output = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return output;
}

test("prints its version and the commit that it was built from", async () => {
  expect(await run("--version")).toMatch(/^lineside \d+\.\d+\.\d+ \(([0-9a-f]{7,}|unknown)\)\n$/);
  expect(await run("version")).toStartWith(`lineside ${manifest.version} (`);
});

test("prints the licenses of everything inside it", async () => {
  const output = await run("licenses");
  for (const name of Object.keys({ ...manifest.dependencies, preact: "", uplot: "" }))
    expect(output).toContain(`\n${name} `);
  expect(output.length).toBeGreaterThan(200_000);
});
