import type { DeviceId, ProfileId, TenantId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { Device } from "../devices/devices.types.ts";
import type { DomainEvents } from "../events.types.ts";
import { type AlarmRule, compileKnownRules } from "./alarm-rule.ts";
import { type KeyBounds, keyBoundsOf } from "./dead-band.ts";
import { isWatched } from "./rule-scope.ts";

/** The rules of a profile, by what they look at. */
export interface ProfileRules {
  readonly all: readonly AlarmRule[];
  readonly byKey: ReadonlyMap<string, readonly AlarmRule[]>;
  readonly bounds: ReadonlyMap<string, KeyBounds>;
  /** Keyed by `SCOPE/name`. */
  readonly byAttribute: ReadonlyMap<string, readonly AlarmRule[]>;
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

/** `undefined` without rules: such a device costs one look. */
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

/** Rules of a profile some of which watch only some devices. Devices that are watched by the same rules share one object. */
class ScopedRules {
  readonly #rules: readonly AlarmRule[];
  /** Keyed by the numbers of the rules. */
  readonly #bySelection = new Map<string, ProfileRules | undefined>();
  readonly #byDevice = new Map<DeviceId, ProfileRules | undefined>();

  constructor(rules: readonly AlarmRule[]) {
    this.#rules = rules;
  }

  of(deviceId: DeviceId, describe: (deviceId: DeviceId) => Device | undefined): ProfileRules | undefined {
    if (this.#byDevice.has(deviceId)) return this.#byDevice.get(deviceId);
    const device = describe(deviceId);
    const watching =
      device === undefined ? [] : this.#rules.filter(({ appliesTo }) => isWatched(appliesTo, device));
    const selection = watching.map((rule) => this.#rules.indexOf(rule)).join();
    if (!this.#bySelection.has(selection)) this.#bySelection.set(selection, profileRulesOf(watching));
    const rules = this.#bySelection.get(selection);
    this.#byDevice.set(deviceId, rules);
    return rules;
  }

  forget(deviceId: DeviceId): void {
    this.#byDevice.delete(deviceId);
  }
}

/** Returns the rules that watch a device: compiled once for a profile, on first use; undefined for a device that no rule watches. */
export function createProfileRules(deps: {
  rulesOf: (tenantId: TenantId, profileId: ProfileId) => readonly unknown[];
  /** Reads what scopes of rules look at. */
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
      deps.log.warn("an alarm rule cannot be read and raises nothing", { profileId, error: error.message }),
    );
    const all = readable.filter(({ isEnabled }) => isEnabled);
    const isScoped = all.some(({ appliesTo }) => appliesTo !== undefined);
    const rules = isScoped ? new ScopedRules(all) : profileRulesOf(all);
    compiled.set(profileId, rules);
    return rules;
  }

  return ({ tenantId, profileId, deviceId }) => {
    const rules = compiled.get(profileId) ?? compile(tenantId, profileId);
    return rules instanceof ScopedRules ? rules.of(deviceId, deps.describe) : rules;
  };
}
