import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BunPlugin } from "bun";

/*
 * Every icon is a module of its own, and the bundler makes a file of each that two screens share: sixty files of two hundred bytes, most
 * of which is what every file needs. So the icons of screens that are loaded later travel together. Those of the first screen stay
 * where they are.
 */

const LIBRARY = "lucide-preact";
const TOGETHER = "icons-of-later-screens";

const staticImport = /^\s*(?:import|export)\s+(?:(?!type\b)[^"';]*?from\s*)?"(\.[^"]+)"/gm;
const iconImport = /import\s*\{([^}]*)\}\s*from\s*"lucide-preact";/g;

/** What the entry imports at once, and what that imports. */
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

/** As the library has them, whatever they are called in the file. */
const namesIn = (list: string): string[] =>
  list
    .split(",")
    .map((name) => name.trim().replace(/ as .*$/, ""))
    .filter((name) => name !== "" && !name.startsWith("type "));

export function iconsTogether(web: string, entry: string): BunPlugin {
  const first = reachedFrom(join(web, entry));
  const later = readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(web, file))
    .filter((file) => !first.has(file));
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
  return {
    name: "icons together",
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
      build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const contents = isLater.has(path)
          ? text.replaceAll(`from "${LIBRARY}";`, `from "${TOGETHER}";`)
          : text;
        return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}
