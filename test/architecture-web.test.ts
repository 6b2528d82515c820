import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { consoleImports } from "./support/console-imports.ts";

/** Direction of dependencies inside the console, file by file. A type-only import counts like any other. */

const root = join(import.meta.dir, "../src/web");

interface Import {
  readonly from: string;
  /** Path below src/web for files of the console, otherwise the name of a package. */
  readonly to: string;
  readonly isOwn: boolean;
  /** True if loaded on demand, which does not count as a cycle. */
  readonly isDynamic: boolean;
  readonly isTypeOnly: boolean;
}

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

const statement = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?from\s+)?["']([^"']+)["']/gm;
const dynamic = /import(\()\s*["']([^"']+)["']\s*\)/g;

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, from), "utf8");
  const found = (pattern: RegExp, isDynamic: boolean) =>
    [...text.matchAll(pattern)].map(([, keyword, target = ""]): Import => {
      const isOwn = target.startsWith(".");
      const to = isOwn ? relative(root, join(root, dirname(from), target)) : target;
      return { from, to, isOwn, isDynamic, isTypeOnly: keyword?.startsWith("type") ?? false };
    });
  return [...found(statement, false), ...found(dynamic, true)];
}

const imports = files.flatMap(importsOf);
const own = imports.filter(({ isOwn }) => isOwn);
const layerOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : "entry");
/** Returns the feature of a file, or the part of a feature that `features` lists by itself. */
function featureOf(file: string): string | undefined {
  const [, name, part] = /^features\/([^/]+)\/(?:([^/]+)\/)?/.exec(file) ?? [];
  return Object.hasOwn(features, `${name}/${part}`) ? `${name}/${part}` : name;
}
const isTexts = (file: string): boolean => /^\.\.\/lib\/texts\/.+\.json$/.test(file);
const show = ({ from, to }: Import) => `${from} → ${to}`;

/** What each layer may import beside itself. */
const layers: Record<string, readonly string[]> = {
  lib: [],
  platform: ["lib"],
  ui: ["lib", "platform"],
  features: ["lib", "platform", "ui"],
  app: ["lib", "platform", "ui", "features"],
  entry: ["platform", "app"],
};

/** The console shares addresses, severities and texts with the server, and the types of requests, answers and live messages. */
const isSharedWithServer = ({ to, isTypeOnly }: Import): boolean =>
  consoleImports.some((file) => to === `../${file}`) ||
  to.startsWith("../lib/texts/") ||
  (isTypeOnly && /^\.\.\/modules\/(.+\.schemas|realtime\/realtime\.types)\.ts$/.test(to));

/** Features, and parts of features, that each may use. Each is listed after those that it uses, so that there is no cycle. */
const features: Record<string, readonly string[]> = {
  manual: [],
  site: [],
  faults: [],
  outbox: ["faults"],
  audit: [],
  notifications: ["outbox"],
  maintenance: [],
  "demo-plant": [],
  "sign-in": [],
  "device-bulk": [],
  "device-import": ["device-bulk"],
  alarms: [],
  devices: ["alarms", "device-bulk", "device-import"],
  commands: ["devices"],
  annotations: ["alarms", "commands"],
  telemetry: ["annotations", "devices"],
  attributes: ["devices"],
  connect: ["devices", "faults", "telemetry"],
  gateways: ["alarms", "connect", "devices"],
  users: ["audit", "devices"],
  account: ["notifications", "users"],
  "api-keys": ["devices", "users"],
  "alarms/rules": ["alarms", "devices", "notifications", "telemetry", "users"],
  pipelines: ["attributes", "devices", "faults", "telemetry"],
  codecs: [],
  "mqtt-clients": ["api-keys", "faults"],
  integrations: ["codecs", "connect", "devices", "faults", "mqtt-clients", "pipelines"],
  scheduler: ["attributes", "devices", "faults"],
  backups: ["scheduler"],
  generators: ["devices"],
  uplinks: ["devices", "faults", "pipelines"],
  dashboards: ["alarms", "annotations", "attributes", "commands", "devices", "telemetry"],
  profiles: ["alarms/rules", "commands", "dashboards"],
  field: ["devices", "faults", "profiles"],
  modbus: ["field"],
  s7: ["field"],
  bacnet: ["field"],
  opcua: ["field"],
  "field-screen": ["bacnet", "field", "modbus", "opcua", "s7"],
  "alarms/pages": ["alarms", "alarms/rules", "devices", "profiles", "telemetry"],
  explore: ["alarms", "annotations", "dashboards", "devices", "telemetry"],
  overview: [
    "alarms",
    "backups",
    "dashboards",
    "demo-plant",
    "devices",
    "integrations",
    "notifications",
    "telemetry",
  ],
  setup: ["demo-plant", "devices", "sign-in"],
  system: ["alarms", "telemetry"],
  "device-page": [
    "annotations",
    "alarms",
    "attributes",
    "audit",
    "commands",
    "connect",
    "dashboards",
    "devices",
    "faults",
    "gateways",
    "maintenance",
    "profiles",
    "telemetry",
  ],
};

test("the check sees the console", () => {
  expect(files.length).toBeGreaterThan(300);
  expect(own.length).toBeGreaterThan(1500);
  expect(own.filter(({ isDynamic }) => isDynamic).length).toBeGreaterThan(20);
  expect(own.some(({ from, to }) => from === "main.tsx" && to === "app/app.tsx")).toBe(true);
  expect(own.filter(({ to }) => !existsSync(join(root, to))).map(show)).toEqual([]);
});

describe("layers", () => {
  test("depend only on what lies below", () => {
    const wrong = own.filter((candidate) => {
      const { from, to } = candidate;
      if (isSharedWithServer(candidate) || layerOf(from) === layerOf(to)) return false;
      return !layers[layerOf(from)]?.includes(layerOf(to));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test("are the only folders", () => {
    expect([...new Set(files.map(layerOf))].sort()).toEqual(Object.keys(layers).sort());
  });

  test("keep packages where they belong", () => {
    const owners: Array<[RegExp, RegExp]> = [
      [/^@sinclair\/typebox$/, /^lib\/wire\.ts$/],
      [/^(preact|@preact|lucide-preact|uplot)/, /^(platform|ui|features|app)\/|^main\.tsx$/],
      [/^(preact$|lucide-preact|uplot)/, /^(ui|features|app)\/|^main\.tsx$/],
    ];
    const packages = imports.filter(({ isOwn }) => !isOwn);
    expect(packages.length).toBeGreaterThan(200);
    const wrong = packages.filter(
      ({ from, to }) =>
        !owners.some(([name]) => name.test(to)) ||
        owners.some(([name, owner]) => name.test(to) && !owner.test(from)),
    );
    expect(wrong.map(show)).toEqual([]);
  });
});

describe("features", () => {
  test("use one another only along the declared list", () => {
    const wrong = own.filter(({ from, to }) => {
      const [user, used] = [featureOf(from), featureOf(to)];
      return user !== undefined && used !== undefined && user !== used && !features[user]?.includes(used);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test("are all declared, each after those that it uses, and use what they declare", () => {
    const names = Object.keys(features);
    const folders = new Set(files.map(featureOf).filter((name) => name !== undefined));
    expect([...folders].sort()).toEqual([...names].sort());
    for (const [index, name] of names.entries())
      for (const used of features[name] ?? []) {
        expect(names.indexOf(used)).toBeLessThan(index);
        expect(own.some(({ from, to }) => featureOf(from) === name && featureOf(to) === used)).toBe(true);
      }
  });

  test("send requests only from their api files, which know no component", () => {
    const senders = imports.filter(({ from, to }) => {
      if (to !== "platform/api-client.ts" || !from.startsWith("features/")) return false;
      if (from.endsWith("-api.ts")) return false;
      const text = readFileSync(join(root, from), "utf8");
      return /import \{[^}]*\b(call|get|getPage|load|patch|post|postFile|put|remove)\b[^}]*\} from "[^"]*api-client\.ts"/.test(
        text,
      );
    });
    expect(senders.map(show)).toEqual([]);
    const wrong = own.filter(({ from, to }) => from.endsWith("-api.ts") && to.endsWith(".tsx"));
    expect(wrong.map(show)).toEqual([]);
  });

  test("take types from the server only where requests are sent", () => {
    const users = own.filter(({ from, to }) => from.startsWith("features/") && to.startsWith("../modules/"));
    expect(users.length).toBeGreaterThan(20);
    expect(users.filter(({ from }) => !/-(api|types)\.ts$/.test(from)).map(show)).toEqual([]);
  });

  test("are loaded on demand as screens, pages, panels, tabs and dialogs, or after the first screen", () => {
    const loaded = own.filter(({ to, isDynamic }) => isDynamic && !to.startsWith("../lib/texts/"));
    expect(
      loaded
        .filter(
          ({ to }) =>
            !/(-(dialog|page|panel|screen|tab)\.tsx|palette-search\.ts|missed-alarms\.ts)$/.test(to),
        )
        .map(show),
    ).toEqual([]);
  });
});

describe("the page kit", () => {
  const sources = files
    .filter((file) => /^(features|app)\//.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const resourcesOf = (text: string) =>
    [...text.matchAll(/const (\w+) = (?:useResource|useKept|usePages)[<(]/g)].map(([, name]) => name);

  test("waits and fails for every resource: no feature has branches of its own", () => {
    const loaded = sources.filter(({ text }) => resourcesOf(text).length > 0);
    expect(loaded.length).toBeGreaterThan(60);
    const branches = loaded.flatMap(({ file, text }) =>
      resourcesOf(text).flatMap((name) =>
        [...text.matchAll(new RegExp(`(?<!is[A-Z]\\w+\\()\\b${name}\\.(error|loading)\\b`, "g"))].map(
          ([found]) => `${file}: ${found}`,
        ),
      ),
    );
    expect(branches).toEqual([]);
  });

  test("asks before something is lost: no feature has a question of its own", () => {
    const own = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/role="alertdialog"|class="btn btn-error"|\bwindow\.confirm\b/g)].map(
        ([found]) => `${file}: ${found}`,
      ),
    );
    expect(own).toEqual([]);
  });
});

describe("forms", () => {
  const sources = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

  test("limits of text inputs come from the API, not from figures", () => {
    const figures = sources.flatMap(({ file, text }) =>
      [...text.matchAll(/m(?:ax|in)Length\s*[=:]\s*\{?\s*[0-9_]{2,}|\btext\([0-9_]+\)/g)].map(
        ([found]) => `${file}: ${found}`,
      ),
    );
    expect(figures).toEqual([]);
    expect(sources.filter(({ text }) => /=\{maxLengthOf\(/.test(text)).length).toBeGreaterThan(20);
  });

  /** Forms without a definition. A new one uses `SchemaForm`, `FormPage` or `FormDialog`. */
  const handMade = [
    "features/account/second-factor.tsx",
    "features/alarms/pages/comment-form.tsx",
    "features/alarms/rules/rule-editor.tsx",
    "features/bacnet/object-dialog.tsx",
    "features/codecs/codec-index-page.tsx",
    "features/codecs/codec-page.tsx",
    "features/dashboards/board/board-tools.tsx",
    "features/dashboards/editor/widget-dialog.tsx",
    "features/dashboards/share-dialog.tsx",
    "features/device-bulk/bulk-dialog.tsx",
    "features/explore/explore-screen.tsx",
    "features/field/connection-form.tsx",
    "features/integrations/downlink-tab.tsx",
    "features/modbus/register-browser.tsx",
    "features/mqtt-clients/topics-panel.tsx",
    "features/opcua/node-dialog.tsx",
    "features/outbox/mail-server-page.tsx",
    "features/profiles/key-editor.tsx",
    "features/s7/s7-pages.tsx",
    "features/setup/restore-form.tsx",
    "features/setup/setup-screen.tsx",
    "features/sign-in/onboarding-screen.tsx",
    "features/sign-in/sign-up-code-step.tsx",
    "features/sign-in/sign-up-screen.tsx",
    "features/system/system-page.tsx",
    "features/telemetry/history-dialog.tsx",
    "features/telemetry/import-form.tsx",
  ];

  test("are made of a definition, except for a list that must not grow", () => {
    const found = sources.filter(({ file, text }) => file.startsWith("features/") && text.includes("<form"));
    expect(found.map(({ file }) => file)).toEqual(handMade);
  });
});

test("texts are read by the modules of the catalogue alone, so that every other file follows the language", () => {
  const readers = imports.filter(({ to }) => isTexts(to)).map(({ from }) => from);
  expect([...new Set(readers)].sort()).toEqual(["platform/i18n/error-texts.ts", "platform/i18n/i18n.ts"]);
});

test("no file imports itself by way of others", () => {
  const targets = new Map<string, string[]>();
  for (const { from, to, isDynamic } of own)
    if (!isDynamic) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const begin = path.indexOf(file);
    if (begin >= 0) cycles.push([...path.slice(begin), file].join(" → "));
    if (begin >= 0 || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});
