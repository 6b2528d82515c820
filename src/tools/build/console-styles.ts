import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Selector of a theme that a checked box anywhere in the page enables. The console sets an attribute of the root instead. */
const THEME_CONTROLLER = /:root:has\(input\.theme-controller\[[^\]]*\]:checked\),/g;

/** Removes conditions on other parts of the page: they make the browser recompute the styles of all elements after each insertion or removal. */
function withoutPageConditions(css: string): string {
  const styles = css.replace(THEME_CONTROLLER, "");
  const left = /(?:^|[\s,{}(])(?::root|html|body):has\([^{]*/.exec(styles);
  if (left !== null) throw new Error(`a style depends on the whole page: ${left[0]}`);
  return styles;
}

/** Compiles a style sheet with the Tailwind compiler of this checkout, without a network. */
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
    return new TextEncoder().encode(withoutPageConditions(await readFile(output, "utf8")));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
