/** Returns the address of the form for a new alarm rule on a key, filled in for this device. */
export const alarmHref = (value: {
  readonly profileId: string;
  readonly deviceId: string;
  readonly key: string;
}): string =>
  `/settings/profiles/${value.profileId}?${new URLSearchParams({ rule: value.key, device: value.deviceId })}`;
