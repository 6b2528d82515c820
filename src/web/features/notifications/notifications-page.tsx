import { t } from "../../platform/i18n/i18n.ts";
import { together, useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import type { SettingsPageProps } from "../../ui/settings-page.types.ts";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { MessagingForm } from "./messaging-form.tsx";
import { MessengerPage } from "./messenger-form-page.tsx";
import { MessengersSection } from "./messengers-section.tsx";
import { type EscalationSettings, notificationsApi } from "./notifications-api.ts";
import { type FormEvent, Save, type SettingsProps } from "./settings-form.tsx";
import { TestSend } from "./test-send.tsx";

const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
] as const;
/** Settings of escalation and notifications, or the page of a messenger. */
export function NotificationsPage({ id }: SettingsPageProps) {
  return id === undefined ? <NotificationSettings /> : <MessengerPage key={id} id={id} />;
}

function NotificationSettings() {
  const escalation = useResource(() => notificationsApi.escalation(), []);
  const settings = useResource(() => notificationsApi.settings(), []);
  return (
    <Loaded of={together({ steps: escalation, general: settings })}>
      {({ steps, general }) => (
        <div class="flex max-w-3xl flex-col gap-5">
          {!general.mailDelivering && (
            <p class="panel border-l-4 border-l-warning p-4" role="note">
              {t("notifier.noMail")}
            </p>
          )}
          <EscalationForm settings={steps} onSaved={escalation.set} />
          <GeneralForm settings={general} onSaved={settings.set} />
          <MessengersSection />
          <MessagingForm settings={general} onSaved={settings.set} />
          <TestSend />
        </div>
      )}
    </Loaded>
  );
}

function Minutes(props: { name: string; label: string; value: number; max: number; hint?: string }) {
  return (
    <TextField
      label={props.label}
      hint={props.hint}
      type="number"
      name={props.name}
      min={1}
      max={props.max}
      step={1}
      required
      defaultValue={props.value}
    />
  );
}

function EscalationForm(props: { settings: EscalationSettings; onSaved: (s: EscalationSettings) => void }) {
  const { settings } = props;
  const action = useAction();
  const submit = (e: FormEvent) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    action.run(async () => {
      const saved = await notificationsApi.saveEscalation({
        level1To2Minutes: Number(data.get("level1To2Minutes")),
        level2To3Minutes: Number(data.get("level2To3Minutes")),
        stopOnAck: data.has("stopOnAck"),
        stopOnClear: data.has("stopOnClear"),
      });
      props.onSaved(saved);
      toast("success", t("settings.saved"));
    });
  };
  const check = (name: "stopOnAck" | "stopOnClear") => (
    <Checkbox name={name} defaultChecked={settings[name]}>
      {t(`notifier.${name}`)}
    </Checkbox>
  );
  return (
    <Section id="escalation" title={t("notifier.escalation")} hint={t("notifier.escalationHint")}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <div class="grid gap-4 sm:grid-cols-2">
          <Minutes
            name="level1To2Minutes"
            label={t("notifier.toLevel2")}
            value={settings.level1To2Minutes}
            max={10_080}
          />
          <Minutes
            name="level2To3Minutes"
            label={t("notifier.toLevel3")}
            value={settings.level2To3Minutes}
            max={10_080}
          />
        </div>
        {check("stopOnAck")}
        {check("stopOnClear")}
        <Save action={action} />
      </form>
    </Section>
  );
}

function GeneralForm({ settings, onSaved }: SettingsProps) {
  const action = useAction();
  const submit = (e: FormEvent) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    action.run(async () => {
      const saved = await notificationsApi.saveSettings({
        language: data.get("language") === "de" ? "de" : "en",
        timezone: String(data.get("timezone")).trim(),
        digestAfter: Number(data.get("digestAfter")),
        digestMinutes: Number(data.get("digestMinutes")),
      });
      onSaved(saved);
      toast("success", t("settings.saved"));
    });
  };
  return (
    <Section id="notifier-general" title={t("notifier.general")}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <div class="grid gap-4 sm:grid-cols-2">
          <SelectField label={t("notifier.language")} name="language" defaultValue={settings.language}>
            {LANGUAGES.map(([id, name]) => (
              <option key={id} value={id} selected={id === settings.language}>
                {name}
              </option>
            ))}
          </SelectField>
          <TextField
            label={t("notifier.timezone")}
            hint={t("notifier.timezoneHint")}
            name="timezone"
            required
            maxLength={64}
            defaultValue={settings.timezone}
          />
          <Minutes
            name="digestAfter"
            label={t("notifier.digestAfter")}
            hint={t("notifier.digestAfterHint")}
            value={settings.digestAfter}
            max={100}
          />
          <Minutes
            name="digestMinutes"
            label={t("notifier.digestMinutes")}
            value={settings.digestMinutes}
            max={60}
          />
        </div>
        <Save action={action} />
      </form>
    </Section>
  );
}
