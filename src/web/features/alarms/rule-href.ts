/** Returns the address of a rule in the settings of its profile. */
export const ruleHref = (rule: { readonly profileId: string; readonly alarmType: string }): string =>
  `/settings/profiles/${encodeURIComponent(rule.profileId)}?${new URLSearchParams({ edit: rule.alarmType })}`;
