import { BellPlus } from "lucide-preact";
import { alarmHref } from "../../lib/alarm-href.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName, profileOfDevice } from "../../platform/key-metadata.ts";
import { may } from "../../platform/session.ts";

/** Link to the form for an alarm rule on a value; hidden from users who may not create rules. */
export function AlarmLink({
  deviceId,
  name,
  class: ownClass = "",
}: {
  deviceId: string;
  name: string;
  class?: string;
}) {
  const profileId = profileOfDevice(deviceId);
  if (profileId === undefined || !may("profiles:write")) return null;
  const label = t("alarmLink.on", { name: keyName(deviceId, name) });
  return (
    <a
      class={`btn btn-ghost btn-square btn-xs text-soft ${ownClass}`}
      href={alarmHref({ profileId, deviceId, key: name })}
      aria-label={label}
      title={label}
    >
      <BellPlus size={14} aria-hidden="true" />
    </a>
  );
}
