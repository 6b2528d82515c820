import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { headersOf, linesOf } from "./header-lines.ts";
import { METHODS, type Messaging, notificationsApi } from "./notifications-api.ts";
import { type FormEvent, Save, type SettingsProps } from "./settings-form.tsx";

const PLACEHOLDERS = ["phone", "text", "severity", "alarmType", "deviceName", "message", "time"];
const emptyMessaging: Messaging = {
  url: "",
  method: "POST",
  headers: {},
  contentType: "application/json",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the gateway's templates
  body: '{"to": "${phone}", "text": "${text}"}',
};

/** Settings of the HTTP gateway through which texts go to phones and chats. */
export function MessagingForm({ settings, onSaved }: SettingsProps) {
  const [isOn, setOn] = useState(settings.messaging !== null);
  const [isWrong, setWrong] = useState(false);
  const action = useAction();
  const submit = (e: FormEvent) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const text = (name: string) => String(data.get(name) ?? "");
    const headers = headersOf(text("headers"));
    setWrong(isOn && headers === undefined);
    if (isOn && headers === undefined) return;
    action.run(async () => {
      const messaging = isOn
        ? {
            url: text("url").trim(),
            method: METHODS.find((method) => method === text("method")) ?? "POST",
            headers: headers ?? {},
            contentType: text("contentType").trim(),
            body: text("body"),
          }
        : null;
      onSaved(await notificationsApi.saveSettings({ messaging }));
      toast("success", t("settings.saved"));
    });
  };
  return (
    <Section id="messaging" title={t("notifier.messaging")} hint={t("notifier.messagingHint")}>
      <form class="flex flex-col gap-4" onSubmit={submit} key={JSON.stringify(settings.messaging)}>
        <label class="flex cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            class="toggle toggle-sm"
            checked={isOn}
            onChange={(e) => setOn(e.currentTarget.checked)}
          />
          {t("notifier.messagingOn")}
        </label>
        {isOn && <MessagingFields messaging={settings.messaging ?? emptyMessaging} isWrong={isWrong} />}
        <Save action={action} />
      </form>
    </Section>
  );
}

function MessagingFields({ messaging, isWrong }: { messaging: Messaging; isWrong: boolean }) {
  const names = PLACEHOLDERS.map((name) => `\${${name}}`).join(" ");
  return (
    <>
      <TextField
        label={t("notifier.url")}
        name="url"
        required
        maxLength={2048}
        autocapitalize="off"
        defaultValue={messaging.url}
        placeholder="https://…"
        class="input reading w-full"
      />
      <div class="grid gap-4 sm:grid-cols-2">
        <SelectField label={t("notifier.method")} name="method">
          {METHODS.map((method) => (
            <option key={method} value={method} selected={method === messaging.method}>
              {method}
            </option>
          ))}
        </SelectField>
        <TextField
          label={t("notifier.contentType")}
          name="contentType"
          required
          maxLength={128}
          defaultValue={messaging.contentType}
          class="input reading w-full"
        />
      </div>
      <TextAreaField
        label={t("notifier.headers")}
        hint={t("notifier.headersHint")}
        error={isWrong ? t("notifier.headersWrong") : undefined}
        name="headers"
        rows={3}
        spellcheck={false}
        defaultValue={linesOf(messaging.headers)}
      />
      <TextAreaField
        label={t("notifier.body")}
        hint={t("notifier.bodyHint", { names })}
        name="body"
        rows={4}
        required
        maxLength={8192}
        spellcheck={false}
        defaultValue={messaging.body}
      />
    </>
  );
}
