import type { ProfileId, TenantId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { DomainEvents } from "../events.types.ts";
import { type AlarmRule, compileKnownRules } from "./alarm-rule.ts";
import { type KeyBounds, keyBoundsOf } from "./dead-band.ts";

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

/** Compiled once, on first use; undefined for a profile without rules. */
export function createProfileRules(deps: {
  rulesOf: (tenantId: TenantId, profileId: ProfileId) => readonly unknown[];
  events: EventBus<DomainEvents>;
  log: Logger;
}): (profile: { tenantId: TenantId; profileId: ProfileId }) => ProfileRules | undefined {
  const compiled = new Map<ProfileId, ProfileRules | undefined>();
  deps.events.on("profile.changed", ({ profileId }) => compiled.delete(profileId));
  deps.events.on("tenant.deleted", () => compiled.clear());

  return ({ tenantId, profileId }) => {
    const profileRules = compiled.get(profileId);
    if (profileRules !== undefined || compiled.has(profileId)) return profileRules;
    const all = compileKnownRules(deps.rulesOf(tenantId, profileId), (error) =>
      deps.log.warn("an alarm rule cannot be read and raises nothing", { profileId, error: error.message }),
    );
    const byKey = indexed(all, ({ keys }) => keys);
    const rules =
      all.length === 0
        ? undefined
        : {
            all,
            byKey,
            bounds: new Map([...byKey].map(([key, named]) => [key, keyBoundsOf(key, named)])),
            byAttribute: indexed(all, ({ attributes }) => attributes),
          };
    compiled.set(profileId, rules);
    return rules;
  };
}
