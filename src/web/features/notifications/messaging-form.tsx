import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaForm } from "../../ui/form/schema-form.tsx";
import { Section } from "../../ui/page/section.tsx";
import { messagingForm } from "./notification-settings-form.tsx";
import { type Messaging, type NotificationSettings, notificationsApi } from "./notifications-api.ts";

const PLACEHOLDERS = ["phone", "text", "severity", "alarmType", "deviceName", "message", "time"];
const emptyMessaging: Messaging = {
  url: "",
  method: "POST",
  headers: {},
  contentType: "application/json",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: placeholders of the gateway's templates
  body: '{"to": "${phone}", "text": "${text}"}',
};

interface Props {
  readonly settings: NotificationSettings;
  readonly onSaved: (settings: NotificationSettings) => void;
}

/** Settings of the HTTP gateway for messages to phones and chats. */
export function MessagingForm({ settings, onSaved }: Props) {
  const [isOn, setOn] = useState(settings.messaging !== null);
  const names = PLACEHOLDERS.map((name) => `\${${name}}`).join(" ");
  return (
    <Section id="messaging" title={t("notifier.messaging")} hint={t("notifier.messagingHint")}>
      <label class="flex cursor-pointer items-center gap-3">
        <input
          type="checkbox"
          class="toggle toggle-sm"
          checked={isOn}
          onChange={(e) => setOn(e.currentTarget.checked)}
        />
        {t("notifier.messagingOn")}
      </label>
      <SchemaForm
        key={JSON.stringify(settings.messaging)}
        form={isOn ? messagingForm : { ...messagingForm, fields: [] }}
        initial={{ messaging: settings.messaging ?? emptyMessaging }}
        hints={{ "messaging.body": t("notifier.bodyHint", { names }) }}
        onSave={async ({ messaging }) => {
          // The API checks it.
          onSaved(await notificationsApi.saveSettings({ messaging: isOn ? (messaging as Messaging) : null }));
          toast("success", t("settings.saved"));
        }}
      />
    </Section>
  );
}
