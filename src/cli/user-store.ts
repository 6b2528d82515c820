import { existsSync, readFileSync } from "node:fs";
import { createAuditRepository } from "../modules/audit/audit.repository.ts";
import { createAuditService } from "../modules/audit/audit.service.ts";
import type { NewAuditEntry } from "../modules/audit/audit.types.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { createIdentityProvider } from "../modules/identity/provider/identity-provider.ts";
import { createProviderRepository } from "../modules/identity/provider/provider.repository.ts";
import { createThrottleRepository } from "../modules/identity/provider/throttle.repository.ts";
import { Throttle } from "../modules/identity/provider/throttle.ts";
import { createSessionsRepository } from "../modules/identity/sessions.repository.ts";
import { createSessionsService } from "../modules/identity/sessions.service.ts";
import { createPlansService } from "../modules/tenants/plans.service.ts";
import { createQuotasService } from "../modules/tenants/quotas.service.ts";
import { createTenantsRepository } from "../modules/tenants/tenants.repository.ts";
import type { Tenant } from "../modules/tenants/tenants.types.ts";
import { createUserRegistry } from "../modules/users/user-registry.ts";
import { createUsersRepository } from "../modules/users/users.repository.ts";
import { ROLES, type Role } from "../modules/users/users.types.ts";
import { type Config, loadConfig, processEnv } from "../platform/config/config.ts";
import { createEventBus } from "../platform/core/event-bus.ts";
import { createLogger } from "../platform/core/log.ts";
import { openMainDatabases } from "../platform/database/database.ts";
import { StartupError } from "../platform/process/startup-error.ts";
import { createMonotonicNow, systemClock } from "../platform/time/clock.ts";
import { type CommandOption, type ParsedArguments, parseCommand, printHelp } from "./arguments.ts";
import { ensureGatewayData } from "./gateway-data.ts";

/** Accounts of the machine. */
const ACCOUNTS = "/etc/passwd";

/** Options of every command on a data directory. */
export const storeOptions = {
  data: { type: "string", help: "the gateway's data directory (default: LINESIDE_DATA, or ./data)" },
  config: { type: "string", help: "the gateway's configuration file (default: lineside.toml)" },
  tenant: { type: "string", help: "name or ID of the tenant, if there are several" },
  json: { type: "boolean", help: "print JSON" },
} as const satisfies Record<string, CommandOption>;

/**
 * Opens the users of a data directory for commands on the machine. Works while the gateway is running, which reads users, sessions and keys from the
 * same files for every request.
 */
export function openUserStore(config: Config) {
  const names = ["lineside", "identity"] as const;
  const [database, identityDatabase] = openMainDatabases(config.data, names, createLogger("database"));
  const clock = systemClock;
  const events = createEventBus<DomainEvents>(createLogger("events"));
  const now = createMonotonicNow(clock);
  const users = createUsersRepository(database);
  const provider = createIdentityProvider({
    repository: createProviderRepository(identityDatabase),
    throttle: new Throttle({ repository: createThrottleRepository(identityDatabase), now }),
    onPasswordChanged: () => undefined, // only people change passwords that way
    now,
    wallNow: () => clock.now(),
  });
  const sessions = createSessionsService({
    repository: createSessionsRepository(database),
    events,
    lifetimeMsMax: 0, // a command ends sessions and begins none
    now,
  });
  const tenants = createTenantsRepository(database);
  const plans = createPlansService(config.plans);
  const registry = createUserRegistry({
    repository: users,
    tenants,
    plans,
    accounts: provider,
    endSessions: (userId) => sessions.endAll(userId),
    transact: database.transact,
    clock,
    events,
  });
  const quotas = createQuotasService({ tenants, plans, settings: config, clock });
  const audit = createAuditService({
    repository: createAuditRepository(database),
    durable: database.durable,
    days: config.audit_days,
    limitOf: (tenantId) => quotas.of(tenantId).auditEntries,
    clock,
    retentionTime: () => 0, // the gateway prunes its log

    log: createLogger("audit"),
  });
  return {
    database,
    audit,
    users,
    provider,
    sessions,
    registry,
    tenants,
    async close() {
      await Promise.all([database.durable(), identityDatabase.durable()]);
      identityDatabase.close();
      database.close();
    },
  };
}

export type UserStore = ReturnType<typeof openUserStore>;

/** Runs `work` on the data directory in the options. @throws StartupError if it contains no gateway data */
export async function withUserStore<Result>(
  values: Readonly<Record<string, string | undefined>>,
  work: (store: UserStore, config: Config) => Promise<Result>,
): Promise<Result> {
  const flags = ["data", "config"].flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
  const config = loadConfig(flags, processEnv());
  ensureGatewayData(config.data);
  const store = openUserStore(config);
  try {
    return await work(store, config);
  } finally {
    await store.close();
  }
}

/** Returns the named tenant, or the only one. @throws StartupError */
export function tenantOf(
  { tenants }: { tenants: Pick<UserStore["tenants"], "list"> },
  named: string | undefined,
): Tenant {
  const all = tenants.list();
  const found = all.filter(
    ({ tenantId, name }) => named === undefined || name === named || tenantId === named,
  );
  const [tenant] = found;
  if (tenant === undefined)
    throw new StartupError(
      named === undefined
        ? "This gateway has no owner yet: open the link that `lineside setup-link` prints."
        : `There is no tenant ${JSON.stringify(named)}.`,
    );
  if (found.length > 1)
    throw new StartupError(
      `This gateway has several tenants. Select one with --tenant: ${all.map(({ name, tenantId }) => `${JSON.stringify(name)} (${tenantId})`).join(", ")}.`,
    );
  return tenant;
}

const roleNames: Readonly<Record<string, Role>> = {
  owner: "TENANT_OWNER",
  admin: "TENANT_ADMIN",
  rw: "TENANT_RW",
  "read-only": "TENANT_READ_ONLY",
};

export const roleHelp = Object.keys(roleNames).join(", ");

/** Parses a role by its short name or by its name in the API. @throws StartupError */
export function roleOf(text: string | undefined): Role {
  const role =
    ROLES.find((candidate) => candidate === text) ?? (text === undefined ? undefined : roleNames[text]);
  if (role === undefined) throw new StartupError(`The role must be one of ${roleHelp}.`);
  return role;
}

export const shortRole = (role: Role): string =>
  Object.entries(roleNames).find(([, named]) => named === role)?.[0] ?? role;

/** Prints rows under a heading, in columns of sufficient width. */
export function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [heading, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** Input of a command's action. */
export interface ActionRequest {
  readonly store: UserStore;
  readonly config: Config;
  readonly args: ParsedArguments;
}

/** Result of an action, for programs (`--json`) and users. */
export interface ActionResult {
  readonly data: unknown;
  /** Entry of the audit log. */
  readonly done?: Pick<NewAuditEntry, "tenantId" | "action" | "target" | "before" | "after">;
  print(): void;
}

/** Records a change in the audit log, with the account of the machine as its author. */
export function recordDone(
  { audit }: Pick<UserStore, "audit">,
  done: NonNullable<ActionResult["done"]>,
): void {
  const actor = { type: "COMMAND_LINE", id: null, name: accountName() } as const;
  audit.record({ ...done, actor, outcome: "SUCCESS" });
}

/** Returns the name of the user of the operating system, or the uid if there is no name, as in some containers. */
export function accountName(): string {
  const uid = String(process.getuid?.() ?? "");
  // Not the runtime's own lookup: it uses environment variables, which any caller can set.
  const accounts = existsSync(ACCOUNTS) ? readFileSync(ACCOUNTS, "utf8").split("\n") : [];
  const [name] = accounts.map((line) => line.split(":")).find((fields) => fields[2] === uid) ?? [];
  return name ?? `uid ${uid}`;
}

/** @throws StartupError if the first argument is not an action */
export function actionOf<T>(actions: Readonly<Record<string, T>>, { positionals }: ParsedArguments): T {
  const [name] = positionals;
  const action = name !== undefined && Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action !== undefined) return action;
  const mistake = name === undefined ? "An action is missing" : `"${name}" is not an action`;
  throw new StartupError(`${mistake}; the actions are ${Object.keys(actions).join(", ")}.`);
}

/** Runs the action in the first argument. @throws StartupError for an unknown action */
export async function runAction(
  args: readonly string[],
  command: {
    usage: string;
    options: Record<string, CommandOption>;
    actions: Readonly<Record<string, (request: ActionRequest) => ActionResult | Promise<ActionResult>>>;
  },
): Promise<number> {
  const { usage, options, actions } = command;
  const helpCode = printHelp(args, usage, options);
  if (helpCode !== undefined) return helpCode;
  const parsed = parseCommand(args, options);
  const action = actionOf(actions, parsed);
  const result = await withUserStore(parsed.values, async (store, config) => {
    const result = await action({ store, config, args: parsed });
    if (result.done !== undefined) recordDone(store, result.done);
    return result;
  });
  if (parsed.flags.has("json")) console.log(JSON.stringify(result.data, null, 2));
  else result.print();
  return 0;
}
