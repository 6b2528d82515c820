import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "..", "..", "..");

/** Output of drizzle-kit that means success. It exits with 0 even if it fails, for example because it cannot ask whether a column was renamed. */
const NOTHING_TO_DO = "No schema changes";

/**
 * Compares tables with their migrations by generating migrations into a copy of the directory. Returns a problem, or undefined. `config` is a file
 * of drizzle-kit, and `migrations` its directory; both are relative to the checkout.
 */
export async function findDrift(
  name: string,
  { config, migrations }: { config: string; migrations: string },
) {
  const work = join("dist", `.drift-${name}`);
  await rm(join(root, work), { recursive: true, force: true });
  await mkdir(join(root, work), { recursive: true });
  try {
    await cp(join(root, migrations), join(root, work, "out"), { recursive: true });
    const before = await readdir(join(root, work, "out"));
    const text = `import base from "../../${config}";\nexport default { ...base, out: "./${work}/out" };\n`;
    await Bun.write(join(root, work, "drizzle.config.ts"), text);
    const output = await generate(join(work, "drizzle.config.ts"));
    const added = (await readdir(join(root, work, "out"))).filter((file) => !before.includes(file));
    if (added.length === 0 && output.includes(NOTHING_TO_DO)) return undefined;
    const reason = added.length > 0 ? added.join(", ") : output.trim();
    return `the tables of ${name} have changed: run npm run migration -- <name in words> (${reason})`;
  } finally {
    await rm(join(root, work), { recursive: true, force: true });
  }
}

async function generate(config: string): Promise<string> {
  const command = [join(root, "node_modules", ".bin", "drizzle-kit"), "generate", "--config", config];
  const child = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return `${stdout}${stderr}`;
}
