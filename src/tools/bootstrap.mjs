/**
 * Installs the locked packages if they are missing or outdated, builds the console if its sources are newer, and runs Bun with the given
 * command. npm installs only Bun, and Bun installs the rest from the lock file: the npm of older Node versions leaves out packages that
 * require a newer Node, although they run on Bun.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { differences, isStamped, stamp } from "./locked-packages.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
process.chdir(root);
/** Folder of the Bun that installs the packages, including Bun itself. */
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
  // Bun takes versions and checksums from package-lock.json, and writes no lock file.
  run(findBun(FIRST_BUN), ["install", "--no-save", "--ignore-scripts", "--silent", ...from]);
  rmSync(FIRST_BUN, { recursive: true });
  const found = differences();
  if (found.length > 0) fail(`The installed packages are not those of the lock file.\n${found.join("\n")}`);
  stamp();
}

function run(program, args) {
  const { status } = spawnSync(program, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0)
    fail(
      "Installing the packages failed. Check that the npm registry is reachable and that the disk is not full.",
    );
}

/** Returns the Bun binary. Bun's install script moves it from the platform package to `bun`; without install scripts it stays in the platform package. */
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
  return fail("The packages contain no Bun for this platform. Use the executable instead.");
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
  // The thread of OPC UA is one file. The console has the texts and constants of src/lib, the limits of the schemas and
  // of what these import, and the docs as its manual.
  const newestSource = Math.max(
    newestChange(join("src", "web")),
    newestChange(join("src", "lib")),
    newestChange(join("src", "platform", "opcua")),
    newestChange(join("src", "modules")),
    newestChange(join("src", "tools", "build")),
    newestChange("docs"),
    statSync("README.md").mtimeMs,
    statSync("package-lock.json").mtimeMs,
  );
  const others = [
    "static/api-docs/docs.js.gz",
    "static/licenses/THIRD-PARTY-LICENSES.txt.gz",
    "static/opcua/opcua.worker.js.gz",
  ];
  if (existsSync(built) && others.every((file) => existsSync(file)) && statSync(built).mtimeMs > newestSource)
    return;
  console.error("Building the console (once) …");
  const { status } = spawnSync(bun, [join("src", "tools", "build", "build-assets.ts")], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) fail("Building the console failed.");
}

// Tests wait for disks, timers and servers three quarters of their time: with two CPUs, five processes take 13 minutes where three took 20. Browser
// tests are CPU-bound: with an additional process, steps timed out.
const parallel = `--parallel=${cpus().length * 2 + 1}`;
const parallelBrowsers = `--parallel=${Math.max(2, cpus().length)}`;
// Slowest files first, so that none of them runs alone at the end. Files without timings come before them. `--update-timings` measures again.
const timings = "--timings=test/timings.json";

// A limit only ends what hangs: a loaded machine may be ten times slower than a quiet one. A wait in a test has a limit of one minute, which says what did
// not happen. Tests have no limits of their own unless they need more.
const limit = ["--timeout", "300000"];

const commands = {
  serve: (args) => ["src/main.ts", "serve", ...args],
  // `--no-isolate`: reloading the modules for each file would take longer than the tests.
  test: (args) => ["test", ...limit, parallel, timings, "--no-isolate", ...args],
  "test-files": (args) => ["test", ...limit, parallelBrowsers, timings, "--no-isolate", ...args],
  run: (args) => args,
  /** Only installs the packages. */
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
// If npm's shell is killed, it does not pass the signal on, so an orphaned process stops by itself.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 1000).unref();
child.on("exit", (code, signal) => process.exit(code ?? (signal === null ? 1 : 128)));
