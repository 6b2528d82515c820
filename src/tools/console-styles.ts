import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs the Tailwind compiler of this checkout over a style sheet; works without a network. */
export async function compileStyles(root: string, input: string): Promise<Uint8Array> {
  const directory = await mkdtemp(join(tmpdir(), "lineside-styles-"));
  try {
    const output = join(directory, "styles.css");
    const cli = join(root, "node_modules/@tailwindcss/cli/dist/index.mjs");
    const child = Bun.spawn([process.execPath, cli, "-i", input, "-o", output, "--minify"], {
      cwd: root,
      stdout: "ignore",
      stderr: "pipe",
    });
    const messages = await new Response(child.stderr).text();
    if ((await child.exited) !== 0) throw new Error(`the style sheet does not compile:\n${messages}`);
    return new Uint8Array(await readFile(output));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
