import { DAY_MS } from "../../lib/core/units.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { createApiKeysRepository } from "../../modules/api-keys/api-keys.repository.ts";
import type { ApiKey } from "../../modules/api-keys/api-keys.resource.ts";
import { addApiKey } from "../../modules/api-keys/key-registry.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { systemClock } from "../../platform/time/clock.ts";
import { numberOf } from "../arguments.ts";
import {
  type ActionRequest,
  type ActionResult,
  printTable,
  roleHelp,
  roleOf,
  runAction,
  shortRole,
  storeOptions,
  tenantOf,
} from "../user-store.ts";

const EXPIRY_DAYS_MAX = 36_500;

const options = {
  ...storeOptions,
  role: { type: "string", help: `role of a new key: ${roleHelp}` },
  days: { type: "string", help: "days until a new key expires (default: never)" },
} as const;

const USAGE = `lineside apikey <action> [name] [--option …]

  list            List the API keys of the gateway
  create <name>   Create a key for a program and print it once (--role, --days)
  revoke <name>   Revoke the key immediately

The command works on the data directory, also while the gateway runs. The key belongs to the site and not to one of its users.`;

const toJson = ({ apiKeyId, name, hint, role, createdBy, ...times }: ApiKey) => ({
  apiKeyId,
  name,
  hint,
  role,
  createdBy,
  createdAt: iso(times.createdAt),
  expiresAt: iso(times.expiresAt),
  lastUsedAt: iso(times.lastUsedAt),
});

function nameOf({ args }: ActionRequest): string {
  const name = args.positionals[1]?.trim() ?? "";
  if (!/^[^\p{Cc}]{1,100}$/u.test(name))
    throw new StartupError("The name of a key must have 1 to 100 characters in one line.");
  return name;
}

const actions: Record<string, (request: ActionRequest) => ActionResult> = {
  list({ store, args }) {
    const named = args.values.tenant;
    const tenants = named === undefined ? store.tenants.list() : [tenantOf(store, named)];
    const repository = createApiKeysRepository(store.database, systemClock);
    const apiKeys = tenants.flatMap(({ tenantId }) => repository.list(tenantId)).map(toJson);
    const day = (date: string | null) => date?.slice(0, 10) ?? "never";
    return {
      data: apiKeys,
      print: () =>
        printTable(
          ["NAME", "KEY", "ROLE", "EXPIRES", "LAST USED"],
          apiKeys.map((apiKey) => [
            apiKey.name,
            apiKey.hint,
            shortRole(apiKey.role),
            day(apiKey.expiresAt),
            apiKey.lastUsedAt ?? "never",
          ]),
        ),
    };
  },
  create(request) {
    const { store, args } = request;
    const name = nameOf(request);
    const role = roleOf(args.values.role);
    const { tenantId } = tenantOf(store, args.values.tenant);
    const days =
      args.values.days === undefined
        ? undefined
        : numberOf(args.values, "days", { min: 1, max: EXPIRY_DAYS_MAX });
    const now = systemClock.now(); // read once, so that the key is valid for exactly 30 days
    const clock = { now: () => now };
    const { apiKey, secret } = addApiKey(
      {
        repository: createApiKeysRepository(store.database, clock),
        transact: store.database.transact,
        clock,
      },
      {
        tenantId,
        name,
        role,
        createdBy: null,
        expiresAt: days === undefined ? null : now + days * DAY_MS,
      },
    );
    return {
      data: { ...toJson(apiKey), key: secret },
      done: {
        tenantId,
        action: "api_key.create",
        target: { type: "api_key", id: apiKey.apiKeyId, name },
        after: toJson(apiKey),
      },
      print() {
        console.log(secret);
        console.error(
          "Copy the key now: it is not shown again. Programs send it as: Authorization: Bearer <key>",
        );
      },
    };
  },
  revoke(request) {
    const { store, args } = request;
    const name = nameOf(request);
    const { tenantId } = tenantOf(store, args.values.tenant);
    const repository = createApiKeysRepository(store.database, systemClock);
    const apiKey = repository.findBy(tenantId, "name", name);
    if (apiKey === undefined) throw new StartupError(`There is no API key ${JSON.stringify(name)}.`);
    repository.delete(apiKey);
    return {
      data: toJson(apiKey),
      done: {
        tenantId,
        action: "api_key.revoke",
        target: { type: "api_key", id: apiKey.apiKeyId, name },
        before: toJson(apiKey),
      },
      print: () => console.log(`API key ${name} revoked.`),
    };
  },
};

/** `lineside apikey …`: manages API keys on the machine of the gateway. */
export const apiKeyCommand = (args: readonly string[]): Promise<number> =>
  runAction(args, { usage: USAGE, options, actions });
