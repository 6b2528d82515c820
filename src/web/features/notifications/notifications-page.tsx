import { Server } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { together, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { SchemaForm } from "../../ui/form/schema-form.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import type { SettingsPageProps } from "../../ui/page/settings-page.types.ts";
import { MailServerPage } from "../outbox/mail-server-page.tsx";
import { MessagingForm } from "./messaging-form.tsx";
import { MessengerPage } from "./messenger-form-page.tsx";
import { MessengersSection } from "./messengers-section.tsx";
import { NoMailNote } from "./no-mail-note.tsx";
import { escalationForm, generalForm, generalOf } from "./notification-settings-form.tsx";
import { type EscalationSettings, notificationsApi } from "./notifications-api.ts";
import { TestSend } from "./test-send.tsx";

/** Part of an address in place of the id of a messenger. */
const MAIL_SERVER_PAGE = "mail-server";

/** Settings of escalation and notifications, the mail server of the gateway, or the page of a messenger. */
export function NotificationsPage({ id }: SettingsPageProps) {
  if (id === MAIL_SERVER_PAGE) return <MailServerPage />;
  return id === undefined ? <NotificationSettings /> : <MessengerPage key={id} id={id} />;
}

function NotificationSettings() {
  const escalation = useResource(() => notificationsApi.escalation(), []);
  const settings = useResource(() => notificationsApi.settings(), []);
  return (
    <Loaded of={together({ steps: escalation, general: settings })}>
      {({ steps, general }) => (
        <div class="flex max-w-3xl flex-col gap-5">
          {!general.mailDelivering && <NoMailNote />}
          {general.mailDelivering && may("gateway:manage") && (
            <a class="btn btn-sm self-start" href={`/settings/notifications/${MAIL_SERVER_PAGE}`}>
              <Server size={16} aria-hidden="true" />
              {t("mailServer.title")}
            </a>
          )}
          <Section id="escalation" title={t("notifier.escalation")} hint={t("notifier.escalationHint")}>
            <SchemaForm
              form={escalationForm}
              initial={steps}
              onSave={async (body) => {
                escalation.set(await notificationsApi.saveEscalation(body as EscalationSettings)); // the API checks it
                toast("success", t("settings.saved"));
              }}
            />
          </Section>
          <Section id="notifier-general" title={t("notifier.general")}>
            <SchemaForm
              form={generalForm}
              initial={generalOf(general)}
              onSave={async (body) => {
                settings.set(await notificationsApi.saveSettings(body));
                toast("success", t("settings.saved"));
              }}
            />
          </Section>
          <MessengersSection />
          <MessagingForm settings={general} onSaved={settings.set} />
          <TestSend />
        </div>
      )}
    </Loaded>
  );
}
