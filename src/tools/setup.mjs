/**
 * `npm start` and `npm test` on a machine with Node and npm only: installs the locked packages when they are missing or
 * old, builds the console when its sources are newer, and runs Bun (which comes as a package) with what follows.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { differences, isStamped, stamp } from "./locked-packages.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
process.chdir(root);

function fail(message) {
  console.error(message);
  process.exit(1);
}

function ensurePackages() {
  if (isStamped()) return;
  console.error("Installing packages (once) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  // Not `npm ci`: it refuses to work where the registry lacks an optional package of some other platform.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync(npm, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) fail("Installing the packages failed; is the npm registry reachable?");
  const found = differences();
  if (found.length > 0) fail(`The installed packages are not those of the lock file.\n${found.join("\n")}`);
  stamp();
}

/** Bun's install script moves the binary from its platform package into `bun`; without install scripts it stays there. */
function findBun() {
  const scope = join("node_modules", "@oven");
  const packages = existsSync(scope) ? readdirSync(scope).sort() : [];
  const places = [join("node_modules", "bun"), ...packages.map((name) => join(scope, name))];
  for (const place of places)
    for (const file of ["bun.exe", "bun"]) {
      const path = join(root, place, "bin", file);
      if (existsSync(path) && spawnSync(path, ["--version"]).status === 0) return path;
    }
  return fail("Bun did not come with the packages for this platform.");
}

function newestChange(directory) {
  let newest = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      newest = Math.max(newest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs);
  return newest;
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
};

const [command = "serve", ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, command))
  fail(`"${command}" is not one of ${Object.keys(commands).join(", ")}.`);
ensurePackages();
const bun = findBun();
ensureAssets(bun);
const child = spawn(bun, commands[command](args), { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
// Killed itself, npm's shell does not pass the signal on: who is left behind by it stops as well.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 1000).unref();
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
