import { severitiesDescending } from "../../../lib/severity.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { NotificationSettings } from "./users-types.ts";

const LEVELS = [1, 2, 3] as const;
const CHANNELS = ["notificationsEmailEnabled", "notificationsMessagingEnabled"] as const;
const TRIGGERS = ["notifyOnAlarmCreated", "notifyOnAlarmEscalated", "notifyOnAlarmCleared"] as const;

/** Reads the settings from a form that holds `NotificationFields`. */
export function notificationsFrom(data: FormData): NotificationSettings {
  const isOn = (name: string) => data.get(name) !== null;
  return {
    notificationsEmailEnabled: isOn("notificationsEmailEnabled"),
    notificationsMessagingEnabled: isOn("notificationsMessagingEnabled"),
    notificationPhone: String(data.get("notificationPhone") ?? "").trim(),
    notificationEscalationLevel: Number(data.get("notificationEscalationLevel") ?? 1),
    notificationSeverities: severitiesDescending.filter((severity) => isOn(`severity.${severity}`)),
    notifyOnAlarmCreated: isOn("notifyOnAlarmCreated"),
    notifyOnAlarmEscalated: isOn("notifyOnAlarmEscalated"),
    notifyOnAlarmCleared: isOn("notifyOnAlarmCleared"),
  };
}

function Check({ name, text, checked }: { name: string; text: string; checked: boolean }) {
  return (
    <Checkbox name={name} defaultChecked={checked}>
      {text}
    </Checkbox>
  );
}

/** Channels and topics of a user's notifications: uncontrolled, read by `notificationsFrom`. */
export function NotificationFields({
  settings,
}: {
  settings: NotificationSettings & { readonly emailConfirmed?: boolean };
}) {
  return (
    <div class="grid gap-6 sm:grid-cols-2">
      <fieldset class="flex flex-col gap-2.5">
        <legend class="mb-2 text-sm font-medium">{t("notify.when")}</legend>
        {TRIGGERS.map((name) => (
          <Check key={name} name={name} text={t(`notify.${name}`)} checked={settings[name]} />
        ))}
      </fieldset>
      <fieldset class="flex flex-col gap-2.5">
        <legend class="mb-2 text-sm font-medium">{t("notify.severities")}</legend>
        {severitiesDescending.map((severity) => (
          <Check
            key={severity}
            name={`severity.${severity}`}
            text={t(`severity.${severity}`)}
            checked={settings.notificationSeverities.includes(severity)}
          />
        ))}
      </fieldset>
      <fieldset class="flex flex-col gap-2.5">
        <legend class="mb-2 text-sm font-medium">{t("notify.how")}</legend>
        {CHANNELS.map((name) => (
          <Check key={name} name={name} text={t(`notify.${name}`)} checked={settings[name]} />
        ))}
        {settings.emailConfirmed === false && <p class="text-sm text-soft">{t("user.emailUnconfirmed")}</p>}
      </fieldset>
      <div class="flex flex-col gap-4">
        <TextField
          label={t("notify.phone")}
          hint={t("notify.phoneHint")}
          name="notificationPhone"
          type="tel"
          autocomplete="tel"
          maxLength={32}
          pattern="\+?[0-9][0-9 \(\)\/.\-]{2,30}"
          title={t("notify.phoneRule")}
          defaultValue={settings.notificationPhone}
        />
        <SelectField
          label={t("notify.level")}
          hint={t("notify.levelHint")}
          name="notificationEscalationLevel"
          value={settings.notificationEscalationLevel}
          options={LEVELS}
          text={(level) => t(`level.${level}`)}
        />
      </div>
    </div>
  );
}
