import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

/*
 * Keeps the number of files small that the browser fetches. The bundler makes a file of every set of modules that the same entries
 * reach, which would be a hundred files of a few hundred bytes.
 * - Every screen that is loaded on demand imports the first load, which is there by then, so that all its modules are one file.
 * - Small modules that many of these screens use belong to the first load, too: a file of their own would cost more than they do.
 * - What several screens use and is not large travels together, with the first of them.
 * - Every icon is a module of its own. The icons of screens that are loaded on demand travel together; those of the first load stay
 *   where they are.
 */

const LIBRARY = "lucide-preact";
const TOGETHER = "icons-of-later-screens";
const COMMON = "common-parts-of-later-screens";

const STATIC_IMPORT = /^\s*(?:import|export)\s+(?:(?!type\b)[^"';]*?from\s*)?"(\.[^"]+)"/gm;
const DYNAMIC_IMPORT = /import\(\s*"(\.[^"]+)"\s*\)/g;
const ICON_IMPORT = /import\s*\{([^}]*)\}\s*from\s*"lucide-preact";/g;

/** Needed files by file. */
const reached = new Map<string, ReadonlySet<string>>();

/** Returns the files that the entry imports statically, directly or indirectly. */
function reachedFrom(entry: string): ReadonlySet<string> {
  const existing = reached.get(entry);
  if (existing !== undefined) return existing;
  const seen = new Set<string>();
  reached.set(entry, seen);
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const from = dirname(file);
    for (const match of readFileSync(file, "utf8").matchAll(STATIC_IMPORT))
      queue.push(resolve(from, match[1] ?? ""));
  }
  return seen;
}

/** Returns the exported names in an import list, without their aliases. */
const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.trim().replace(/ as .*$/, ""))
    .filter((name) => name !== "" && !name.startsWith("type "));

/** Returns the screens loaded on demand. Texts of the catalog are also loaded on demand, and import nothing. */
const screensIn = (files: readonly string[]): Set<string> =>
  new Set(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(DYNAMIC_IMPORT)]
        .map((match) => resolve(dirname(file), match[1] ?? ""))
        .filter((target) => target.endsWith(".tsx")),
    ),
  );

/** Max. characters of a module for the first load, and its min. number of importers. */
const SMALL_CHARACTERS = 900;
const IMPORTERS_MIN = 5;

/** Returns small modules that many of the files import. */
function smallAndShared(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files)
    for (const match of readFileSync(file, "utf8").matchAll(STATIC_IMPORT)) {
      const target = resolve(dirname(file), match[1] ?? "");
      counts.set(target, (counts.get(target) ?? 0) + 1);
    }
  return [...counts]
    .filter(([file, count]) => count >= IMPORTERS_MIN && files.includes(file))
    .map(([file]) => file)
    .filter((file) => readFileSync(file, "utf8").length <= SMALL_CHARACTERS)
    .sort();
}

/** Max. characters of a module that is loaded with the first screen that uses it. */
const COMMON_CHARACTERS = 7_000;

/** Returns the modules that at least two screens reach, except large ones and those that need them. */
function usedBySeveral(screens: ReadonlySet<string>, isReady: (file: string) => boolean): string[] {
  const counts = new Map<string, number>();
  for (const screen of screens)
    for (const file of reachedFrom(screen)) counts.set(file, (counts.get(file) ?? 0) + 1);
  const isCommon = (file: string): boolean =>
    isReady(file) ||
    ((counts.get(file) ?? 0) > 1 &&
      !screens.has(file) &&
      readFileSync(file, "utf8").length <= COMMON_CHARACTERS &&
      [...reachedFrom(file)].every((part) => part === file || isCommon(part)));
  return [...counts.keys()].filter((file) => !isReady(file) && isCommon(file)).sort();
}

/** Groups modules into few chunks. @param app module that imports the whole first load and does nothing else */
export function fewChunks(web: string, entry: string, app: string): BunPlugin {
  const first = reachedFrom(join(web, entry));
  const files = readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(web, file));
  const others = files.filter((file) => !first.has(file));
  const isReady = (file: string) => [...reachedFrom(file)].every((part) => part === file || first.has(part));
  const shared = new Set(smallAndShared(others).filter(isReady));
  const later = others.filter((file) => !shared.has(file));
  const isLater = new Set(later);
  const screens = screensIn(files);
  const common = usedBySeveral(screens, (file) => first.has(file) || shared.has(file));
  const names = new Set(
    later.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(ICON_IMPORT)].flatMap((match) => namesIn(match[1] ?? "")),
    ),
  );
  const list = [...names].sort();
  const module = [
    `import { ${list.map((name) => `${name} as ${name}Icon`).join(", ")} } from "${LIBRARY}";`,
    `const all = [${list.map((name) => `${name}Icon`).join(", ")}];`,
    ...list.map((name, index) => `export const ${name} = all[${index}];`),
  ].join("\n");
  const sourceOf = (path: string): string => {
    const text = readFileSync(path, "utf8");
    if (path === join(web, app))
      return [...shared].map((file) => `import ${JSON.stringify(file)};\n`).join("") + text;
    if (!isLater.has(path)) return text;
    const withIcons = text.replaceAll(`from "${LIBRARY}";`, `from "${TOGETHER}";`);
    return screens.has(path)
      ? `import ${JSON.stringify(join(web, app))};\nimport "${COMMON}";\n${withIcons}`
      : withIcons;
  };
  return {
    name: "few chunks",
    setup(build) {
      build.onResolve({ filter: new RegExp(`^${TOGETHER}$`) }, () => ({
        path: TOGETHER,
        namespace: "icons",
      }));
      build.onLoad({ filter: /.*/, namespace: "icons" }, () => ({
        contents: module,
        loader: "js",
        resolveDir: web,
      }));
      build.onResolve({ filter: new RegExp(`^${COMMON}$`) }, () => ({ path: COMMON, namespace: "common" }));
      build.onLoad({ filter: /.*/, namespace: "common" }, () => ({
        contents: common.map((file) => `import ${JSON.stringify(file)};`).join("\n"),
        loader: "js",
        resolveDir: web,
      }));
      build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
        contents: sourceOf(path),
        loader: path.endsWith("x") ? "tsx" : "ts",
      }));
    },
  };
}
