import { createPlansService } from "../../modules/tenants/plans.service.ts";
import type { Tenant } from "../../modules/tenants/tenants.types.ts";
import { StartupError } from "../../platform/process/startup-error.ts";
import { systemClock } from "../../platform/time/clock.ts";
import {
  type ActionRequest,
  type ActionResult,
  printTable,
  runAction,
  storeOptions,
  tenantOf,
} from "../user-store.ts";

const options = storeOptions;

const USAGE = `lineside tenant <action> [--option …]

  list          List the tenants of the gateway with their plans
  plans         List the plans
  plan <plan>   Change the plan of a tenant (--tenant, if there are several)

The command works on the data directory, also while the gateway runs.`;

const toJson = ({ tenantId, name, planName, isHost }: Tenant) => ({ tenantId, name, planName, isHost });
const limit = (value: number | null) => (value === null ? "none" : String(value));

/** Formats a limit; `null` means that the gateway's setting applies. */
const limitOrSetting = (value: number | null) => (value === null ? "setting" : String(value));

const actions: Record<string, (request: ActionRequest) => ActionResult> = {
  list({ store }) {
    const tenants = store.tenants.list().map((tenant) => ({
      ...toJson(tenant),
      users: store.users.countOf(tenant.tenantId),
    }));
    return {
      data: tenants,
      print: () =>
        printTable(
          ["NAME", "PLAN", "USERS", "ID"],
          tenants.map(({ name, planName, users, tenantId }) => [name, planName, String(users), tenantId]),
        ),
    };
  },
  plans({ config }) {
    const plans = createPlansService(config.plans).list();
    return {
      data: plans,
      print: () =>
        printTable(
          ["PLAN", "DEVICES", "USERS", "DAYS", "MESSAGES/S", "BYTES/S", "STORED", "KEYS", "WHITELABEL"],
          plans.map(({ id, limits, whitelabelEnabled }) => [
            id,
            limit(limits.devices),
            limit(limits.users),
            limit(limits.retentionDays),
            limit(limits.messagesPerSecond),
            limitOrSetting(limits.bytesPerSecond),
            limitOrSetting(limits.storedBytes),
            limitOrSetting(limits.keys),
            whitelabelEnabled ? "yes" : "no",
          ]),
        ),
    };
  },
  plan({ store, config, args }) {
    const before = tenantOf(store, args.values.tenant);
    const plans = createPlansService(config.plans);
    const plan = plans.find(args.positionals[1] ?? "");
    if (plan === undefined)
      throw new StartupError(
        `Enter one of the plans: ${plans
          .list()
          .map(({ id }) => id)
          .join(", ")}.`,
      );
    store.tenants.setPlan(before.tenantId, plan.id, systemClock.now());
    const after = tenantOf(store, before.tenantId);
    return {
      data: toJson(after),
      done: {
        tenantId: after.tenantId,
        action: "tenant.plan",
        target: { type: "tenant", id: after.tenantId, name: after.name },
        before: toJson(before),
        after: toJson(after),
      },
      print: () => console.log(`The plan of ${after.name} is ${plan.id}.`),
    };
  },
};

/** `lineside tenant …`: lists tenants and plans, and changes a tenant's plan. */
export const tenantCommand = (args: readonly string[]): Promise<number> =>
  runAction(args, { usage: USAGE, options, actions });
