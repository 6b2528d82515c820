// Builds the web console from src/web into static/console: hashed files, each with its compressed siblings, and a manifest.
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fewChunks } from "./console-chunks.ts";
import { emit, hashOf, sizesOf, writeManifest } from "./console-output.ts";
import { compileStyles } from "./console-styles.ts";
import { textsWithoutKeys } from "./console-texts.ts";
import { LANGUAGES, renderManual } from "./manual.ts";

const ROOT = join(import.meta.dir, "../../..");
const WEB = join(ROOT, "src/web");
const STATIC = join(ROOT, "static");
const DESTINATION = join(STATIC, "console");
/** Temporary output beside the destination, which is replaced in one step, so that a running server never sees a partial console. */
const OUT = `${DESTINATION}-${process.pid}`;
const OLD = `${DESTINATION}-${process.pid}-old`;
const FIRST_LOAD_KB_MAX = 85;
/** Max. kB that a browser can load, with the longer one of the two languages. Only the first load costs a reader time. */
const ALL_KB_MAX = 475;

async function bundle(
  entry: string,
  format: "esm" | "iife",
): Promise<{ path: string; bytes: Uint8Array; kind: string }[]> {
  const result = await Bun.build({
    entrypoints: [join(WEB, entry)],
    target: "browser",
    format,
    splitting: format === "esm",
    minify: true,
    plugins: format === "esm" ? [textsWithoutKeys, fewChunks(WEB, entry, "app/app.tsx")] : [],
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: { runtime: "automatic", importSource: "preact", development: false },
    naming: { entry: "assets/[name]-[hash].[ext]", chunk: "assets/[name]-[hash].[ext]" },
  });
  return Promise.all(
    result.outputs.map(async (output) => ({
      path: output.path.replace(/^\.?\//, ""),
      bytes: new Uint8Array(await output.arrayBuffer()),
      kind: output.kind,
    })),
  );
}

async function emitIcons(): Promise<void> {
  for (const name of await readdir(join(STATIC, "icons"))) {
    await emit(OUT, name, await readFile(join(STATIC, "icons", name)));
  }
}

/** Returns the static imports of a chunk, which the browser loads before the first screen. */
function staticImports(code: string): string[] {
  return [...code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map((m) => `assets/${m[1]}`);
}

function firstLoad(entry: string, chunks: ReadonlyMap<string, string>): Set<string> {
  const seen = new Set<string>();
  const queue = [entry];
  for (let path = queue.pop(); path; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    queue.push(...staticImports(chunks.get(path) ?? ""));
  }
  return seen;
}

export async function buildConsole(): Promise<void> {
  try {
    await buildInto();
    // Two renames, so that a program that reads the console at this moment misses it for microseconds at most.
    await rename(DESTINATION, OLD).catch(() => undefined);
    await rename(OUT, DESTINATION);
  } finally {
    await rm(OUT, { recursive: true, force: true });
    await rm(OLD, { recursive: true, force: true });
  }
}

async function buildInto(): Promise<void> {
  await mkdir(join(OUT, "assets"), { recursive: true });
  const scripts = [...(await bundle("main.tsx", "esm")), ...(await bundle("theme-boot.ts", "iife"))];
  for (const script of scripts) await emit(OUT, script.path, script.bytes);

  const css = await compileStyles(ROOT, join(WEB, "styles.css"));
  const styles = `assets/styles-${hashOf(css).slice(0, 8)}.css`;
  await emit(OUT, styles, css);

  const [main, theme] = scripts.filter((s) => s.kind === "entry-point").map((s) => s.path);
  if (!main || !theme) throw new Error("the bundler made no entry point");
  const shell = (await readFile(join(STATIC, "shell.html"), "utf8"))
    .replace("{{main}}", `/${main}`)
    .replace("{{theme}}", `/${theme}`)
    .replace("{{styles}}", `/${styles}`);
  await emit(OUT, "index.html", new TextEncoder().encode(shell));
  await emitIcons();
  for (const language of LANGUAGES)
    await emit(
      OUT,
      `manual.${language}.json`,
      new TextEncoder().encode(JSON.stringify(renderManual(ROOT, language))),
    );
  await writeManifest(OUT);

  const chunks = new Map(scripts.map((s) => [s.path, new TextDecoder().decode(s.bytes)]));
  await report([...firstLoad(main, chunks), theme, styles, "index.html"], (path) => firstLoad(path, chunks));
}

const TEXT_PARTS = ["first-screens", "console", "server"];
const partOf = (path: string) => TEXT_PARTS.find((part) => new RegExp(`^assets/${part}[.-]`).test(path));
const isText = (path: string) => path.endsWith(".js") && partOf(path) !== undefined;

/** Returns the kilobytes of each part of the texts in its longest language. */
function longestTextsKb(sizes: ReadonlyMap<string, number>): number {
  const longest = new Map<string, number>();
  for (const [path, bytes] of sizes) {
    const part = isText(path) ? partOf(path) : undefined;
    if (part !== undefined) longest.set(part, Math.max(longest.get(part) ?? 0, bytes));
  }
  if (longest.size !== TEXT_PARTS.length) throw new Error("the texts of the console have other names");
  return [...longest.values()].reduce((sum, bytes) => sum + bytes, 0) / 1000;
}

async function report(
  first: readonly string[],
  loadedWith: (path: string) => ReadonlySet<string>,
): Promise<void> {
  const sizes = await sizesOf(OUT);
  const kb = (paths: Iterable<string>) =>
    [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0) / 1000;
  const code = [...sizes.keys()].filter((path) => /\.(js|css|html|svg|webmanifest)$/.test(path));
  // A browser loads one language, so the larger one counts.
  const languages = [...sizes.keys()].filter((path) => /^assets\/first-screens\.(en|de)-[^-]+$/.test(path));
  if (languages.length !== 2) throw new Error(`expected two languages, found ${languages.join(", ")}`);
  const firstKb = Math.max(...languages.map((path) => kb(new Set([...first, ...loadedWith(path)]))));
  const allKb = kb(code) - kb(code.filter((path) => isText(path))) + longestTextsKb(sizes);
  for (const path of code)
    console.log(`${((sizes.get(path) ?? 0) / 1000).toFixed(1).padStart(7)} kB  ${path}`);
  console.log(`console: ${firstKb.toFixed(1)} kB gzip on first load, ${allKb.toFixed(1)} kB in all`);
  if (firstKb > FIRST_LOAD_KB_MAX) throw new Error(`first load is over ${FIRST_LOAD_KB_MAX} kB: ${firstKb}`);
  if (allKb > ALL_KB_MAX) throw new Error(`the console is over ${ALL_KB_MAX} kB`);
}

if (import.meta.main) await buildConsole();
