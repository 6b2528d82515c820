/**
 * Installs the locked packages when they are missing or old, builds the console when its sources are newer, and runs Bun with the command that
 * follows. npm brings only Bun; Bun installs the rest from the lock file. The npm of older versions of Node leaves out packages that
 * want a newer one, although Bun runs them.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { differences, isStamped, stamp } from "./locked-packages.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
process.chdir(root);
/** Bun that installs the packages, Bun's own among them. */
const FIRST_BUN = join("node_modules", ".setup");

function fail(message) {
  console.error(message);
  process.exit(1);
}

function ensurePackages() {
  if (isStamped()) return;
  console.error("Installing packages (once) …");
  rmSync("node_modules", { recursive: true, force: true });
  const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  run("npm", ["install", "--prefix", FIRST_BUN, ...options, `bun@${dependencies.bun}`]);
  const registry = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim();
  const from = registry.startsWith("http") ? ["--registry", registry] : [];
  // It takes versions and checksums from package-lock.json, and writes no lock file of its own.
  run(findBun(FIRST_BUN), ["install", "--no-save", "--ignore-scripts", "--silent", ...from]);
  rmSync(FIRST_BUN, { recursive: true });
  const found = differences();
  if (found.length > 0) fail(`The installed packages are not those of the lock file.\n${found.join("\n")}`);
  stamp();
}

function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0)
    fail("Installing the packages failed. Is the npm registry reachable, and is there room on the disk?");
}

/** Bun's install script moves the binary from its platform package into `bun`; without install scripts it stays there. */
function findBun(directory) {
  const modules = join(directory, "node_modules");
  const scope = join(modules, "@oven");
  const packages = existsSync(scope) ? readdirSync(scope).sort() : [];
  const places = [join(modules, "bun"), ...packages.map((name) => join(scope, name))];
  for (const place of places)
    for (const file of ["bun.exe", "bun"]) {
      const path = join(root, place, "bin", file);
      if (existsSync(path) && spawnSync(path, ["--version"]).status === 0) return path;
    }
  return fail("Bun did not come with the packages for this platform.");
}

/** Not `readdirSync(…, { recursive: true })`: the first versions of Node 18 ignore that. */
function newestChange(directory) {
  const times = readdirSync(directory, { withFileTypes: true }).map((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? newestChange(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}

function ensureAssets(bun) {
  const built = join("static", "console", "assets.json");
  const newestSource = Math.max(
    newestChange(join("src", "web")),
    statSync(join("src", "lib", "console-routes.ts")).mtimeMs,
    statSync("package-lock.json").mtimeMs,
  );
  const others = ["static/api-docs/docs.js.gz", "static/licenses/THIRD-PARTY-LICENSES.txt.gz"];
  if (existsSync(built) && others.every((file) => existsSync(file)) && statSync(built).mtimeMs > newestSource)
    return;
  console.error("Building the console (once) …");
  const { status } = spawnSync(bun, [join("src", "tools", "build-assets.ts")], { stdio: ["ignore", 2, 2] });
  if (status !== 0) fail("Building the console failed.");
}

// Tests wait for disks and servers about half of their time: one process more than processors keeps those busy. A browser and its gateway are
// busy themselves: with one more of them, steps ran into their limits.
const parallel = `--parallel=${cpus().length + 1}`;
const parallelBrowsers = `--parallel=${Math.max(2, cpus().length)}`;
// The slowest files first: none of them runs alone at the end. Files that it does not name come before them. `--update-timings` measures anew.
const timings = "--timings=test/timings.json";

const commands = {
  serve: (args) => ["src/main.ts", "serve", ...args],
  // No test asserts speed: Bun's own limit of 5 s would, on a busy machine. To load the modules anew for each file would take longer
  // than the tests.
  test: (args) => ["test", "--timeout", "30000", parallel, "--no-isolate", ...args],
  // Steps of these have limits of their own.
  "test-files": (args) => ["test", parallelBrowsers, timings, "--no-isolate", ...args],
  run: (args) => args,
  /** Installs the packages, and nothing else. */
  install: undefined,
};

const [command = "serve", ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, command))
  fail(`"${command}" is not one of ${Object.keys(commands).join(", ")}.`);
ensurePackages();
if (command === "install") process.exit(0);
const bun = findBun(".");
ensureAssets(bun);
const child = spawn(bun, commands[command](args), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// Killed itself, npm's shell does not pass the signal on: who is left behind by it stops as well.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 1000).unref();
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
