import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { consoleImports } from "./support/console-imports.ts";

/** The direction of dependencies, file by file: what a layer may import, and who may use which package. */

const root = join(import.meta.dir, "..");

interface Import {
  readonly from: string;
  /** A path below src for our own files, else a package's name. */
  readonly to: string;
  readonly isOwn: boolean;
  readonly isTypeOnly: boolean;
}

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

const statement = /^\s*(import|export)\s+(type\s+)?(?:[^'";]*?from\s+)?["']([^"']+)["']/gm;
const dynamic = /import\(\s*["']([^"']+)["']\s*\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, "src", file), "utf8");
  const found = [...text.matchAll(statement)].map((match) => ({
    target: match[3] ?? "",
    isTypeOnly: match[2] !== undefined,
  }));
  const loaded = [...text.matchAll(dynamic)].map((match) => ({ target: match[1] ?? "", isTypeOnly: false }));
  return [...found, ...loaded].map(({ target, isTypeOnly }) => {
    const isOwn = target.startsWith(".");
    const to = isOwn ? relative(join(root, "src"), join(root, "src", dirname(file), target)) : target;
    return { from: file, to, isOwn, isTypeOnly };
  });
}

const imports = files.flatMap(importsOf);
const layerOf = (file: string): string =>
  file.includes("/") ? (file.split("/")[0] ?? "") : file.replace(/\.ts$/, "");
/** `modules/api` holds what the API of every module is made of and does not count as a module. */
const moduleOf = (file: string): string | undefined => /^modules\/(?!api\/)([^/]+)\//.exec(file)?.[1];
const roleOf = (file: string): string | undefined => /\.([a-z]+)\.ts$/.exec(file)?.[1];
/** A module file creates its own module; what it takes from others is created by `app.ts`, in order, so their types do not matter. */
const isWiring = ({ from, isTypeOnly }: Import) => roleOf(from) === "module" && isTypeOnly;
/** Types of what the console exchanges with the server. */
const isWireType = /^modules\/(.+\.schemas|realtime\/realtime\.types)\.ts$/;
const show = ({ from, to }: Import) => `${from} → ${to}`;

const layers: Record<string, readonly string[]> = {
  lib: ["lib"],
  platform: ["lib", "platform"],
  modules: ["lib", "platform", "modules"],
  mqtt: ["lib", "platform", "modules", "mqtt"],
  http: ["lib", "platform", "modules", "http"],
  app: ["lib", "platform", "modules", "mqtt", "http", "app", "version"],
  cli: ["lib", "platform", "modules", "app", "cli", "version"],
  main: ["cli"],
  version: ["../package.json"],
  web: ["web", ...consoleImports],
};

/** Modules that a module may ask; types and events are shared by all. */
const modules: Record<string, readonly string[]> = {
  settings: [],
  tenants: [],
  audit: ["tenants"],
  mail: ["settings", "tenants"],
  outbound: ["tenants"],
  users: ["mail", "tenants"],
  identity: ["users", "tenants"],
  "api-keys": ["identity", "users"],
  "login-identities": ["tenants"],
  "mqtt-clients": ["login-identities", "api-keys", "tenants", "identity", "users"],
  profiles: ["tenants", "identity", "users"],
  devices: ["login-identities", "profiles", "tenants", "identity", "users"],
  attributes: ["devices", "identity", "users"],
  telemetry: ["devices", "profiles", "tenants", "identity", "users"],
  pipelines: ["outbound", "telemetry", "attributes", "devices", "tenants", "identity"],
  ingest: ["pipelines", "telemetry", "attributes", "devices", "tenants", "identity"],
  provisioning: ["ingest", "devices", "profiles", "tenants", "identity", "users"],
  gateways: ["provisioning", "ingest", "attributes", "devices"],
  "script-sandbox": [],
  commands: ["script-sandbox", "telemetry", "attributes", "devices", "profiles", "identity", "users"],
  field: ["commands", "devices", "identity", "ingest", "outbound", "tenants", "users"],
  modbus: ["field", "identity", "outbound"],
  s7: ["field", "identity"],
  bacnet: ["field", "identity"],
  opcua: ["field", "identity"],
  maintenance: ["devices", "identity", "users"],
  notes: ["devices", "identity", "users"],
  alarms: [
    "maintenance",
    "commands",
    "outbound",
    "ingest",
    "telemetry",
    "attributes",
    "devices",
    "profiles",
    "tenants",
    "identity",
    "users",
  ],
  overview: ["settings", "alarms", "devices", "tenants", "identity", "users"],
  notifications: ["alarms", "outbound", "devices", "mail", "tenants", "identity", "users"],
  scheduler: ["commands", "attributes", "devices", "tenants", "identity", "users"],
  backups: ["settings", "scheduler", "telemetry", "tenants", "identity", "users"],
  updates: ["audit", "backups", "tenants", "identity", "users"],
  proxies: ["settings", "tenants", "identity", "users"],
  faults: ["devices", "tenants", "identity", "users"],
  system: [
    "faults",
    "mail",
    "settings",
    "backups",
    "ingest",
    "telemetry",
    "devices",
    "profiles",
    "tenants",
    "identity",
    "users",
  ],
  generators: ["ingest", "telemetry", "devices", "tenants", "identity", "users"],
  connectivity: ["tenants", "identity"],
  dashboards: ["alarms", "attributes", "telemetry", "devices", "tenants", "identity", "users"],
  "demo-plant": ["overview", "dashboards", "ingest", "devices", "profiles", "tenants", "identity", "users"],
  realtime: ["telemetry", "devices", "identity", "users"],
  codecs: ["script-sandbox", "tenants"],
  "codec-index": ["codecs", "script-sandbox", "identity", "tenants", "users"],
  integrations: [
    "codecs",
    "script-sandbox",
    "ingest",
    "pipelines",
    "connectivity",
    "attributes",
    "devices",
    "profiles",
    "tenants",
    "identity",
  ],
  downlinks: ["integrations", "codecs", "script-sandbox", "devices", "tenants"],
  uplinks: [
    "settings",
    "pipelines",
    "alarms",
    "attributes",
    "telemetry",
    "commands",
    "outbound",
    "devices",
    "tenants",
    "identity",
    "users",
  ],
};

test("the check sees the program", () => {
  expect(files.length).toBeGreaterThan(80);
  expect(imports.filter(({ isOwn }) => isOwn).length).toBeGreaterThan(250);
  expect(imports.some(({ from, to }) => from === "main.ts" && to === "cli/command-line.ts")).toBe(true);
  expect(imports.some(({ from, to }) => from === "app.ts" && to === "http/http.module.ts")).toBe(true);
});

test("layers depend only on what lies below", () => {
  const wrong = imports.filter(({ from, to, isOwn, isTypeOnly }) => {
    const layer = layerOf(from);
    if (!isOwn || layer === "tools") return false;
    // The console has the types of requests and answers from their schemas.
    if (layer === "web" && isTypeOnly && isWireType.test(to)) return false;
    if (layer === "web" && to.startsWith("lib/texts/")) return false; // they share the texts of errors and events
    if (from.startsWith("http/") && /^mqtt\/(mqtt|device-sockets)\.types\.ts$/.test(to)) return false; // the seams for WebSockets
    return !(layers[layer] ?? []).some((allowed) => allowed === layerOf(to) || allowed === to);
  });
  expect(wrong.map(show)).toEqual([]);
});

test("modules ask one another only along the declared list, and it has no cycle", () => {
  const asked = imports.filter(
    ({ from, to, isOwn }) => isOwn && moduleOf(from) && moduleOf(to) && moduleOf(from) !== moduleOf(to),
  );
  const wrong = asked.filter((item) => {
    const { from, to } = item;
    if (roleOf(to) === "types" || to.endsWith(".tables.ts") || isWiring(item)) return false;
    // Every controller says who may call it, also of what identity itself is built on.
    if (roleOf(from) === "routes" && to === "modules/identity/identity.plugin.ts") return false;
    return !modules[moduleOf(from) ?? ""]?.includes(moduleOf(to) ?? "");
  });
  expect(wrong.map(show)).toEqual([]);
  const existing = Object.keys(modules);
  for (const [index, name] of existing.entries())
    for (const target of modules[name] ?? []) expect(existing.indexOf(target)).toBeLessThan(index);
});

test("across modules only services, types, errors, plugins, schemas and the shapes of tables are seen", () => {
  const seams = /\.(service|types|errors|plugin|tables|resource|schemas|module)\.ts$/;
  // The base of field protocols is made for their modules.
  const bases = /^modules\/field\//;
  // The directory of devices, their activity, the sandbox, the event log, the store and its check are services by another name; tags of values are data.
  const named =
    /(permissions|device-directory|device-activity|maintenance-watch|step-engine|script-limits|script-sandbox|event-log|integration-principal|scheduler\/schedule|store\/value-kind|store\/check-file)\.ts$/;
  const wrong = imports.filter((item) => {
    const { from, to, isOwn } = item;
    if (!isOwn || moduleOf(from) === undefined || moduleOf(to) === undefined) return false;
    if (moduleOf(from) === moduleOf(to) || isWiring(item)) return false;
    return !seams.test(to) && !named.test(to) && !bases.test(to);
  });
  expect(wrong.map(show)).toEqual([]);
});

test("inside a module: tables ← resource and repository ← service ← routes", () => {
  const forbidden: Record<string, readonly string[]> = {
    tables: ["resource", "repository", "service", "routes", "schemas", "plugin"],
    resource: ["repository", "service", "routes", "plugin"],
    repository: ["service", "routes", "schemas", "plugin"],
    service: ["tables", "routes", "schemas", "plugin"],
    types: ["tables", "resource", "repository", "service", "routes", "schemas"],
    routes: ["tables", "repository"],
  };
  const wrong = imports.filter(
    ({ from, to, isOwn }) =>
      isOwn &&
      from.startsWith("modules/") &&
      (forbidden[roleOf(from) ?? ""] ?? []).includes(roleOf(to) ?? ""),
  );
  expect(wrong.map(show)).toEqual([]);
});

test("every module file has a known role, or is a part without one that sees neither requests nor tables", () => {
  const roles = new Set([
    "errors",
    "module",
    "plugin",
    "protocol",
    "repository",
    "resource",
    "routes",
    "schemas",
    "service",
    "tables",
    "target",
    "types",
    "wire",
    "worker",
  ]);
  const inModules = files.filter((file) => file.startsWith("modules/"));
  const unknown = inModules.filter((file) => roleOf(file) !== undefined && !roles.has(roleOf(file) ?? ""));
  expect(unknown).toEqual([]);
  const forbidden = new Set(["routes", "plugin", "tables", "module"]);
  const wrong = imports.filter(
    ({ from, to, isOwn }) =>
      isOwn &&
      from.startsWith("modules/") &&
      roleOf(from) === undefined &&
      to.startsWith("modules/") &&
      forbidden.has(roleOf(to) ?? ""),
  );
  expect(wrong.map(show)).toEqual([]);
});

test("the product imports nothing from its tests and benchmarks", () => {
  expect(imports.filter(({ to, isOwn }) => isOwn && to.startsWith("../test/")).map(show)).toEqual([]);
});

test("packages are used only where they belong", () => {
  const owners: Array<[RegExp, RegExp]> = [
    [/^(elysia|@elysiajs\/)/, /(\.(routes|schemas|plugin)\.ts$|^modules\/module\.types\.ts$|^http\/)/],
    [/^drizzle-orm/, /(\.(repository|tables)\.ts$|^platform\/)/],
    [/^aedes/, /^mqtt\//],
    [/^bun:sqlite$/, /(^platform\/|^modules\/(telemetry\/store|backups|codec-index)\/|^mqtt\/|^tools\/)/],
    [/^(preact|uplot|lucide)/, /^web\//],
  ];
  const wrong = imports.filter(
    ({ from, to, isOwn }) => !isOwn && owners.some(([name, owner]) => name.test(to) && !owner.test(from)),
  );
  expect(wrong.map(show)).toEqual([]);
});

test("databases of a data directory are opened in one place, after a look at their bytes", () => {
  const openers = files.filter(
    (file) =>
      !file.startsWith("tools/") && /new Database\(/.test(readFileSync(join(root, "src", file), "utf8")),
  );
  expect(openers.sort()).toEqual([
    "modules/backups/snapshot-reader.ts", // a restored copy, without a log
    "modules/codec-index/index-build.ts", // the index of codecs, which can be built again
    "modules/codec-index/index-file.ts",
    "platform/database/database-file.ts",
    "platform/database/database-stamp.ts", // without the log, which it does not open
    "platform/files/file-lock.ts", // locks
  ]);
});

/** Groups of files that import one another, types included (Tarjan's strongly connected components). */
function cyclesIn(edges: readonly Import[]): string[][] {
  const targets = Map.groupBy(
    edges.filter(({ isOwn }) => isOwn),
    ({ from }) => from,
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  function visit(file: string): void {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    open.push(file);
    for (const { to } of targets.get(file) ?? []) {
      if (!order.has(to)) visit(to);
      if (open.includes(to)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(to) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1) cycles.push(group.sort());
  }
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

test("no files import one another in a circle", () => {
  const edge = (from: string, to: string): Import => ({ from, to, isOwn: true, isTypeOnly: true });
  expect(cyclesIn([edge("a", "b"), edge("b", "c"), edge("c", "a"), edge("c", "d")])).toEqual([
    ["a", "b", "c"],
  ]);
  expect(cyclesIn(imports)).toEqual([]);
});

test("the environment is read in one place", () => {
  const readers = files.filter(
    (file) =>
      !file.startsWith("tools/") &&
      /process\.env|Bun\.env/.test(readFileSync(join(root, "src", file), "utf8")),
  );
  expect(readers).toEqual(["platform/config/config.ts", "platform/config/production.ts"]);
});

const lineCount = (path: string) => readFileSync(join(root, path), "utf8").split("\n").length - 1;

/** Each runs one loop at a time for the whole gateway, or a tenant. */
const singleLoops = [
  "modules/alarms/actions/alarm-commander.ts",
  "modules/audit/audit.service.ts",
  "modules/demo-plant/demo-plant-engine.ts",
  "modules/ingest/history-import.ts", // no loop
  "modules/notifications/dispatcher.ts",
  "modules/scheduler/job-runner.ts",
  "modules/telemetry/store/query/latest-values.ts",
  "modules/telemetry/unknown-telemetry.service.ts",
];

test("work of many users takes turns by the shared work: loops that wait by setImmediate go on all together", () => {
  const waiting = imports.filter(
    ({ from, to }) => from.startsWith("modules/") && to === "node:timers/promises",
  );
  const users = waiting.filter(({ from }) =>
    /\bsetImmediate\b/.test(readFileSync(join(root, "src", from), "utf8")),
  );
  expect(users.map(({ from }) => from)).toEqual(singleLoops);
});

test("files stay small enough to be read at once", () => {
  const written = files.filter((file) => file !== "lib/texts/places.ts"); // that one is generated
  const long = written.filter((file) => lineCount(`src/${file}`) > 600);
  expect(long).toEqual([]);
  expect(lineCount("src/main.ts")).toBeLessThan(40);
});

test("a test file has at most 400 lines", () => {
  const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  expect(tests.length).toBeGreaterThan(300);
  expect(tests.filter((file) => lineCount(`test/${file}`) > 400)).toEqual([]);
});

test("tests wait by `until`, which ends after a minute and says what for", () => {
  const found = readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ts$/.test(file) && !/^bench\//.test(file))
    .filter((file) =>
      /while \(.*\)\s+await Bun\.sleep/.test(readFileSync(join(import.meta.dir, file), "utf8")),
    );
  expect(found).toEqual([]);
});
