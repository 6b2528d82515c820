/** Returns the address of a rule in the settings of its profile; with an empty type, of the form for a new rule. */
export const ruleHref = (rule: { readonly profileId: string; readonly alarmType: string }): string =>
  `/settings/profiles/${encodeURIComponent(rule.profileId)}?${new URLSearchParams({ edit: rule.alarmType })}`;
