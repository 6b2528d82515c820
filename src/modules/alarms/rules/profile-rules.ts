import type { DeviceId, ProfileId, TenantId } from "../../../lib/core/ids.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Device } from "../../devices/devices.types.ts";
import type { DomainEvents } from "../../events.types.ts";
import { type KeyBounds, keyBoundsOf } from "../engine/dead-band.ts";
import { type AlarmRule, compileKnownRules } from "./alarm-rule.ts";
import { isWatched } from "./rule-scope.ts";

export type RuleIndex<Value> = Pick<ReadonlyMap<string, Value>, "get" | "has" | "size">;

/** Rules of a profile, indexed by their inputs. */
export interface ProfileRules {
  readonly all: readonly AlarmRule[];
  readonly byKey: RuleIndex<readonly AlarmRule[]>;
  readonly bounds: RuleIndex<KeyBounds>;
  /** Rules by `SCOPE/name`. */
  readonly byAttribute: RuleIndex<readonly AlarmRule[]>;
}

function indexed(rules: readonly AlarmRule[], namesOf: (rule: AlarmRule) => ReadonlySet<string>) {
  const index = new Map<string, AlarmRule[]>();
  for (const rule of rules)
    for (const name of namesOf(rule)) {
      const alarmRules = index.get(name);
      if (alarmRules === undefined) index.set(name, [rule]);
      else alarmRules.push(rule);
    }
  return index;
}

/** Returns `undefined` without rules, so that such a device costs one look-up. */
function profileRulesOf(all: readonly AlarmRule[]): ProfileRules | undefined {
  if (all.length === 0) return undefined;
  const byKey = indexed(all, ({ keys }) => keys);
  return {
    all,
    byKey,
    bounds: new Map([...byKey].map(([key, named]) => [key, keyBoundsOf(key, named)])),
    byAttribute: indexed(all, ({ attributes }) => attributes),
  };
}

/** Index with values derived from another index on first use: a device sends few of the keys in a profile's rules. */
class DerivedIndex<From, Value> implements RuleIndex<Value> {
  readonly #from: RuleIndex<From>;
  readonly #derive: (from: From, name: string) => Value | undefined;
  readonly #values = new Map<string, Value | undefined>();

  constructor(from: RuleIndex<From>, derive: (from: From, name: string) => Value | undefined) {
    this.#from = from;
    this.#derive = derive;
  }

  /** Number of names in the other index. */
  get size(): number {
    return this.#from.size;
  }

  get(name: string): Value | undefined {
    const derived = this.#values.get(name);
    const from = derived === undefined && !this.#values.has(name) ? this.#from.get(name) : undefined;
    if (from === undefined) return derived;
    const value = this.#derive(from, name);
    this.#values.set(name, value);
    return value;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}

/** Returns `undefined` without rules. */
function selectedRulesOf(
  { byKey, byAttribute }: ProfileRules,
  all: readonly AlarmRule[],
): ProfileRules | undefined {
  if (all.length === 0) return undefined;
  const select = (rules: readonly AlarmRule[]) => {
    const selected = rules.filter((rule) => all.includes(rule));
    return selected.length === 0 ? undefined : selected;
  };
  const selectedByKey = new DerivedIndex(byKey, select);
  return {
    all,
    byKey: selectedByKey,
    bounds: new DerivedIndex(selectedByKey, (rules, key) => keyBoundsOf(key, rules)),
    byAttribute: new DerivedIndex(byAttribute, select),
  };
}

/** Rules of a profile, some of which watch only some devices. Devices watched by the same rules share one object. */
class ScopedRules {
  readonly #rules: ProfileRules;
  /** Rules by selection, keyed by the numbers of the rules. */
  readonly #bySelection = new Map<string, ProfileRules | undefined>();
  readonly #byDevice = new Map<DeviceId, ProfileRules | undefined>();

  constructor(rules: ProfileRules) {
    this.#rules = rules;
  }

  of(deviceId: DeviceId, describe: (deviceId: DeviceId) => Device | undefined): ProfileRules | undefined {
    if (this.#byDevice.has(deviceId)) return this.#byDevice.get(deviceId);
    const device = describe(deviceId);
    const { all } = this.#rules;
    const watches = all.map(({ appliesTo }) => device !== undefined && isWatched(appliesTo, device));
    const selection = watches.flatMap((isWatching, index) => (isWatching ? [index] : [])).join();
    // Some selections are no longer in use: each change of a device's tags may create another.
    if (this.#bySelection.size > this.#byDevice.size) this.#bySelection.clear();
    if (!this.#bySelection.has(selection)) {
      const watching = all.filter((_, index) => watches[index]);
      this.#bySelection.set(selection, selectedRulesOf(this.#rules, watching));
    }
    const rules = this.#bySelection.get(selection);
    this.#byDevice.set(deviceId, rules);
    return rules;
  }

  forget(deviceId: DeviceId): void {
    this.#byDevice.delete(deviceId);
  }
}

/** Returns the rules that watch a device, compiled once per profile on first use; undefined if no rule watches it. */
export function createProfileRules(deps: {
  rulesOf: (tenantId: TenantId, profileId: ProfileId) => readonly unknown[];
  /** Returns the device with the properties that scopes of rules check. */
  describe: (deviceId: DeviceId) => Device | undefined;
  events: EventBus<DomainEvents>;
  log: Logger;
}): (device: { tenantId: TenantId; profileId: ProfileId; deviceId: DeviceId }) => ProfileRules | undefined {
  const compiled = new Map<ProfileId, ProfileRules | ScopedRules | undefined>();
  const forget = ({ deviceId }: { readonly deviceId: DeviceId }): void => {
    for (const rules of compiled.values()) if (rules instanceof ScopedRules) rules.forget(deviceId);
  };
  deps.events.on("profile.changed", ({ profileId }) => compiled.delete(profileId));
  deps.events.on("tenant.deleted", () => compiled.clear());
  deps.events.on("device.updated", forget);
  deps.events.on("device.deleted", forget);

  function compile(tenantId: TenantId, profileId: ProfileId): ProfileRules | ScopedRules | undefined {
    if (compiled.has(profileId)) return compiled.get(profileId);
    const readable = compileKnownRules(deps.rulesOf(tenantId, profileId), (error) =>
      deps.log.warn("unreadable alarm rule raises nothing", { profileId, error: error.message }),
    );
    const all = readable.filter(({ isEnabled }) => isEnabled);
    const isScoped = all.some(({ appliesTo }) => appliesTo !== undefined);
    const whole = profileRulesOf(all);
    const rules = isScoped && whole !== undefined ? new ScopedRules(whole) : whole;
    compiled.set(profileId, rules);
    return rules;
  }

  return ({ tenantId, profileId, deviceId }) => {
    const rules = compiled.get(profileId) ?? compile(tenantId, profileId);
    return rules instanceof ScopedRules ? rules.of(deviceId, deps.describe) : rules;
  };
}
