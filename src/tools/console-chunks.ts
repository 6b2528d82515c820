import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

/*
 * Keeps the number of files small that the browser fetches. The bundler makes a file of every set of modules that the same entries
 * reach, which would be a hundred files of a few hundred bytes.
 * - Every screen that is loaded on demand imports the first load, which is there by then, so that all its modules are one file.
 * - Every icon is a module of its own. The icons of screens that are loaded on demand travel together; those of the first load stay
 *   where they are.
 */

const LIBRARY = "lucide-preact";
const TOGETHER = "icons-of-later-screens";

const staticImport = /^\s*(?:import|export)\s+(?:(?!type\b)[^"';]*?from\s*)?"(\.[^"]+)"/gm;
const dynamicImport = /import\(\s*"(\.[^"]+)"\s*\)/g;
const iconImport = /import\s*\{([^}]*)\}\s*from\s*"lucide-preact";/g;

/** Returns what the entry imports at once, and what that imports. */
function reachedFrom(entry: string): Set<string> {
  const seen = new Set<string>();
  const queue = [entry];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const from = dirname(file);
    for (const match of readFileSync(file, "utf8").matchAll(staticImport))
      queue.push(resolve(from, match[1] ?? ""));
  }
  return seen;
}

/** Returns the names of the library, whatever the file calls them. */
const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.trim().replace(/ as .*$/, ""))
    .filter((name) => name !== "" && !name.startsWith("type "));

/** The screens that are loaded on demand; the texts of the catalogue are loaded so too, and import nothing. */
const screensIn = (files: readonly string[]): Set<string> =>
  new Set(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(dynamicImport)]
        .map((match) => resolve(dirname(file), match[1] ?? ""))
        .filter((target) => target.endsWith(".tsx")),
    ),
  );

/** `app`: the module that imports all of the first load and does nothing by itself. */
export function fewChunks(web: string, entry: string, app: string): BunPlugin {
  const first = reachedFrom(join(web, entry));
  const files = readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(web, file));
  const later = files.filter((file) => !first.has(file));
  const screens = screensIn(files);
  const names = new Set(
    later.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(iconImport)].flatMap((match) => namesIn(match[1] ?? "")),
    ),
  );
  const list = [...names].sort();
  const module = [
    `import { ${list.map((name) => `${name} as ${name}Icon`).join(", ")} } from "${LIBRARY}";`,
    `const all = [${list.map((name) => `${name}Icon`).join(", ")}];`,
    ...list.map((name, index) => `export const ${name} = all[${index}];`),
  ].join("\n");
  const isLater = new Set(later);
  const sourceOf = (path: string): string => {
    const text = readFileSync(path, "utf8");
    if (!isLater.has(path)) return text;
    const withIcons = text.replaceAll(`from "${LIBRARY}";`, `from "${TOGETHER}";`);
    return screens.has(path) ? `import ${JSON.stringify(join(web, app))};\n${withIcons}` : withIcons;
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
      build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
        contents: sourceOf(path),
        loader: path.endsWith("x") ? "tsx" : "ts",
      }));
    },
  };
}
