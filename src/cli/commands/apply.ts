import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../platform/config/config.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { describeSystemError } from "../../platform/process/system-errors.ts";
import { type ApiClient, connectApi } from "../api-client.ts";
import { credentialsOf, parseCommand, serverOptions } from "../arguments.ts";
import { cleanUpAfter } from "../clean-up-after.ts";
import { type ApplyOptions, applySite, readSnapshotFor } from "../site/apply.ts";
import { type Difference, showValue } from "../site/differences.ts";
import { nameOfAction, type PlannedAction, planSite, type SitePlan } from "../site/plan.ts";
import { hasSecret } from "../site/references.ts";
import { SECRET_PREFIX, secretsOf } from "../site/secret-variables.ts";
import { sections } from "../site/sections.ts";
import { formatPath, type Site } from "../site/site.types.ts";
import { canUseSection, ensureSiteAccess, type SiteUser } from "../site/site-access.ts";
import { siteArguments } from "../site/site-arguments.ts";
import { readSite, SITE_FILE_BYTES_MAX, type SourceFile } from "../site/site-file.ts";
import { lockSite, noLock, type SiteLock } from "../site/site-lock.ts";

const DIFFERENCES_SHOWN = 20;
const signs = { create: "+", change: "~", replace: "±", delete: "-" } as const;
const past = { create: "created", change: "changed", replace: "replaced", delete: "deleted" } as const;

/** Formats a difference. A value that a secret replaces may be a secret itself. */
const showDifference = ({ path, from, to }: Difference): string =>
  `      ${formatPath(path)}: ${hasSecret(to) ? "…" : showValue(from)} → ${showValue(to)}`;

function showAction(action: PlannedAction): string[] {
  const line = `  ${signs[action.type]} ${nameOfAction(action)}`;
  if (action.type === "create" || action.type === "delete") return [line];
  const shown = action.differences.slice(0, DIFFERENCES_SHOWN).map(showDifference);
  const rest = action.differences.length - shown.length;
  return [line, ...shown, ...(rest > 0 ? [`      and ${rest} more`] : [])];
}

/** Formats a plan for the terminal. */
function showPlan({ actions, unchanged, secrets }: SitePlan): string {
  const count = (type: PlannedAction["type"]) => actions.filter((action) => action.type === type).length;
  const replaced = count("replace");
  const changes = `${count("change")} to change${replaced === 0 ? "" : `, ${replaced} to replace`}`;
  const summary = `${count("create")} to create, ${changes}, ${count("delete")} to delete, ${unchanged} unchanged.`;
  const sent = secrets.map(({ variable, object, path }) => `  ${variable} → ${object}, ${formatPath(path)}`);
  const listed = sent.length === 0 ? [] : ["Environment variables sent as secrets:", ...new Set(sent)];
  return [...actions.flatMap(showAction), ...listed, summary].join("\n");
}

const showDone = (action: PlannedAction): string => `${past[action.type]}: ${nameOfAction(action)}`;

const options = {
  ...serverOptions,
  plan: { type: "boolean", help: "print the plan only; exit with code 2 if there is something to do" },
  yes: { type: "boolean", help: "apply without asking" },
  prune: {
    type: "boolean",
    help: 'delete what is not in the sections of the file, which ends with "..."; never devices',
  },
  "replace-keys": {
    type: "boolean",
    help: "replace API keys that differ; what uses them needs the new ones",
  },
  "set-secrets": { type: "boolean", help: "also replace secrets that the gateway has already" },
} as const;

const USAGE = `lineside apply site FILE …

Apply site files, such as those that "lineside export site" writes, to a gateway. The command shows a plan and asks before it changes anything.
A folder stands for all .yaml and .yml files in it. Objects are found by name, so applying a file twice changes nothing. Each \${secret:NAME} is
taken from the environment variable ${SECRET_PREFIX}NAME; without the variable the gateway keeps the secret that it has. A new API key is printed
once, in a line of JSON: {"apiKey":"name","key":"lsk_…"}.`;

const EXIT_CHANGES = 2;
/** Permissions by section that API keys do not have. */
const permissionsOfUsers: Readonly<Record<string, string>> = {
  users: "users:write",
  uplinks: "uplinks:write",
};

function readFile(path: string): SourceFile {
  if (statSync(path).size > SITE_FILE_BYTES_MAX)
    throw new StartupError(`${path} is larger than ${SITE_FILE_BYTES_MAX / 1024 / 1024} MB.`);
  return { name: path, text: readFileSync(path, "utf8") };
}

function readFiles(paths: readonly string[]): SourceFile[] {
  try {
    return paths.flatMap((path) => {
      if (!statSync(path).isDirectory()) return [readFile(path)];
      const names = readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
      if (names.length === 0) throw new StartupError(`${path} has no .yaml files.`);
      return names.sort().map((name) => readFile(join(path, name)));
    });
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    throw new StartupError(`The site file cannot be read: ${describeSystemError(cause) ?? String(cause)}`, {
      cause,
    });
  }
}

/** Prints the secret of a new object before the next action, which may fail. */
const report: ApplyOptions["report"] = (action, created) => {
  console.log(showDone(action));
  const secret = created && action.section.secretLine?.(created);
  if (secret === undefined) return;
  console.log(secret);
  console.error(`Copy the secret of ${nameOfAction(action)} now: it is not shown again.`);
};

const refusal = ({ name }: { name: string }) =>
  new StartupError(
    `API keys cannot change ${name}: sign in with --email and --password, or apply a file without the section ${name}.`,
  );

async function run(args: readonly string[]): Promise<number> {
  const { values, flags, positionals } = parseCommand(args, options);
  if (positionals.length === 0) throw new StartupError("Name a site file, or a folder with site files.");
  const site = readSite(readFiles(positionals), { prunes: flags.has("prune") });
  const api = await connectApi(credentialsOf(values));
  const user = await ensureSiteAccess(api);
  const locked = sections.find((section) => site.has(section.name) && !canUseSection(user, section));
  if (locked !== undefined) throw refusal(locked);
  const lock = flags.has("plan") ? noLock : await lockSite(api);
  return cleanUpAfter(lock.release, () => planAndApply({ api, site, user, lock }, flags));
}

/** Asks a question. Unlike `confirm()`, it lets signals through. */
async function isConfirmed(question: string): Promise<boolean> {
  process.stdout.write(`${question} [y/N] `);
  for await (const line of console) return /^y(es)?$/i.test(line.trim());
  return false;
}

/** Prints the plan, and applies it if confirmed. Returns the exit code. */
async function planAndApply(
  { api, site, user, lock }: { api: ApiClient; site: Site; user: SiteUser; lock: SiteLock },
  flags: ReadonlySet<string>,
): Promise<number> {
  const { email, tenantName } = user;
  const snapshot = await readSnapshotFor(api, site);
  const planOptions = {
    env: secretsOf(processEnv()),
    prunes: flags.has("prune"),
    setsSecrets: flags.has("set-secrets"),
    replacesKeys: flags.has("replace-keys"),
    email,
  };
  const plan = planSite(site, snapshot, planOptions);
  console.log(
    `Plan for ${tenantName === undefined ? "" : `"${tenantName}" at `}${api.url}:\n${showPlan(plan)}`,
  );
  if (plan.problems.length > 0)
    throw new StartupError(
      `The plan cannot be applied:\n${plan.problems.map((problem) => `  ${problem}`).join("\n")}`,
    );
  if (plan.actions.length === 0) return 0;
  const refused = plan.actions.find(({ section: { name } }) => {
    const permission = permissionsOfUsers[name];
    return permission !== undefined && !user.permissions?.includes(permission);
  });
  if (refused !== undefined) throw refusal(refused.section);
  const isAsking = !flags.has("plan") && !flags.has("yes") && process.stdin.isTTY;
  if (isAsking ? !(await isConfirmed("Apply this plan?")) : !flags.has("yes") || flags.has("plan"))
    return EXIT_CHANGES;
  const rest = await applySite(api, site, { plan, snapshot }, { ...planOptions, report, lock });
  if (plan.actions.some(({ type, section }) => type === "create" && section.kind === "user"))
    console.log("New users get their invitation by mail, or a temporary password under Settings → Users.");
  if (rest.actions.length === 0) return 0;
  console.error(`The gateway keeps other values than the file has:\n${showPlan(rest)}`);
  return 1;
}

/** `lineside apply site`: configures a gateway from site files. */
export async function applyCommand(args: readonly string[]): Promise<number> {
  const rest = siteArguments(args, USAGE, options);
  if (typeof rest === "number") return rest;
  return run(rest);
}
