import { isJsonObject } from "../../lib/json/json.ts";
import { StartupError } from "../../platform/process/startup-error.ts";

/** Permissions and limits of a tenant; null means no limit. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly whitelabelEnabled: boolean;
  readonly limits: PlanLimits;
}

export const PLAN_LIMIT_NAMES = [
  "devices",
  "users",
  "retentionDays",
  "messagesPerSecond",
  "bytesPerSecond",
  "storedBytes",
  "keysPerDevice",
  "keys",
  "mqttConnections",
  "mqttSessions",
  "queuedBytes",
  "auditEntries",
] as const;

export type PlanLimits = Readonly<Record<(typeof PLAN_LIMIT_NAMES)[number], number | null>>;

/** Plan without limits. The gateway's settings still apply. */
const unlimited = Object.fromEntries(PLAN_LIMIT_NAMES.map((name) => [name, null])) as PlanLimits;

/** Unlimited plan of a gateway's owner. */
const ON_PREMISES: Plan = {
  id: "onprem",
  name: "On-premises",
  whitelabelEnabled: true,
  limits: unlimited,
};

const builtIn: readonly Plan[] = [
  {
    id: "basic",
    name: "Basic",
    whitelabelEnabled: false,
    limits: {
      ...unlimited,
      devices: 100,
      users: 10,
      retentionDays: 365,
      messagesPerSecond: 100,
      bytesPerSecond: 256 * 1024,
      storedBytes: 2 * 1024 * 1024 * 1024,
      keysPerDevice: 500,
      keys: 10_000,
      mqttConnections: 200,
      mqttSessions: 50,
      queuedBytes: 16 * 1024 * 1024,
      auditEntries: 20_000,
    },
  },
  ON_PREMISES,
];

function readPlan(input: unknown, place: string): Plan {
  const wrong = (subject: string) => new StartupError(`The setting "plans" is wrong: ${place}${subject}.`);
  if (!isJsonObject(input)) throw wrong(" must be an object");
  const { id, name = id, whitelabelEnabled = false, limits = {}, ...rest } = input;
  if (typeof id !== "string" || !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(id))
    throw wrong(".id must be 1 to 64 small letters, digits, - or _");
  if (typeof name !== "string" || name === "") throw wrong(".name must be a string");
  if (typeof whitelabelEnabled !== "boolean") throw wrong(".whitelabelEnabled must be true or false");
  if (!isJsonObject(limits)) throw wrong(".limits must be an object");
  const unknown =
    Object.keys(rest)[0] ??
    Object.keys(limits).find((key) => !PLAN_LIMIT_NAMES.some((planLimitName) => planLimitName === key));
  if (unknown !== undefined) throw wrong(` has the unknown field ${JSON.stringify(unknown)}`);
  const limit = (key: keyof PlanLimits): number | null => {
    const value = limits[key] ?? null;
    if (value === null) return null;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
      throw wrong(`.limits.${key} must be a whole number from 1, or null for no limit`);
    return value;
  };
  return {
    id,
    name,
    whitelabelEnabled,
    limits: Object.fromEntries(PLAN_LIMIT_NAMES.map((key) => [key, limit(key)])) as PlanLimits,
  };
}

function readPlans(text: string | undefined): Plan[] {
  if (text === undefined) return [];
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    throw new StartupError('The setting "plans" is not valid JSON.');
  }
  if (!Array.isArray(input)) throw new StartupError('The setting "plans" must be a JSON array of plans.');
  return input.map((plan, index) => readPlan(plan, `plans[${index}]`));
}

/** @throws StartupError for an unknown plan id */
function readOffered(ids: string | undefined, plans: ReadonlyMap<string, Plan>): readonly Plan[] {
  if (ids === undefined) return [...plans.values()].filter(({ id }) => id !== ON_PREMISES.id);
  return ids.split(",").map((id) => {
    const plan = plans.get(id.trim());
    if (plan === undefined)
      throw new StartupError(
        `The setting "signup_plans" is wrong: there is no plan ${JSON.stringify(id.trim())}.`,
      );
    return plan;
  });
}

/**
 * Creates the plans: the built-in ones and those of the configuration (a JSON array), which replace built-in plans with the same id. `offeredIds`:
 * comma-separated ids of plans offered at sign-up; default: all except the unlimited one. @throws StartupError that names the error
 */
export function createPlansService(configured: string | undefined, offeredIds?: string) {
  const plans = new Map([...builtIn, ...readPlans(configured)].map((plan) => [plan.id, plan]));
  const offered = readOffered(offeredIds, plans);
  return {
    list: (): readonly Plan[] => [...plans.values()],
    /** Returns the plans offered at sign-up, at least one. */
    offered: (): readonly Plan[] => offered,
    find: (planId: string): Plan | undefined => plans.get(planId),
    /** Returns the plan by name. A tenant whose plan no longer exists gets the unlimited plan, so that it is not restricted. */
    of: (planName: string): Plan => plans.get(planName) ?? plans.get(ON_PREMISES.id) ?? ON_PREMISES,
  };
}

export type PlansService = ReturnType<typeof createPlansService>;
