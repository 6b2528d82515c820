import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";

/** Warning that no emails are sent, with a link to the mail server for users who may configure it. */
export const NoMailNote = () => (
  <p class="panel border-l-4 border-l-warning p-4" role="note">
    {t("notifier.noMail")}{" "}
    {may("gateway:manage") ? (
      <a class="link font-medium" href="/settings/notifications/mail-server">
        {t("checklist.mail")}
      </a>
    ) : (
      t("notifier.mailOperator")
    )}
  </p>
);
