import { Mail, TriangleAlert } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { Copyable, ShownOnce } from "../../ui/shown-once.tsx";
import type { Invitation } from "./users-types.ts";

function Sent({ invitation }: { invitation: Invitation }) {
  const { email, inviteDelivery, inviteSent } = invitation;
  if (inviteDelivery === "MANUAL") return <p>{t("invite.handOver", { email })}</p>;
  return (
    <p class="flex items-start gap-3">
      {inviteSent ? (
        <Mail size={18} class="mt-0.5 flex-none text-success" aria-hidden="true" />
      ) : (
        <TriangleAlert size={18} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
      )}
      {inviteSent ? t("invite.sent", { email }) : t("invite.notSent")}
    </p>
  );
}

interface Props {
  readonly title: string;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}

/** Sign-in details for a new user, shown once, because the gateway stores no password that it could show again. */
export function InvitationResult({ title, invitation, onClose }: Props) {
  const { loginUrl, email, temporaryPassword, shareText } = invitation;
  return (
    <ShownOnce
      title={title}
      note={<Sent invitation={invitation} />}
      doneText={t("invite.done")}
      onClose={onClose}
      testId="invitation"
    >
      <Copyable name={t("invite.link")} text={loginUrl} copyText={t("common.copyLink")} />
      <Copyable name={t("common.eMail")} text={email} copyText={t("invite.copyEmail")} />
      <Copyable name={t("invite.password")} text={temporaryPassword} copyText={t("invite.copyPassword")} />
      <Copyable name={t("invite.share")} text={shareText} copyText={t("invite.copyShare")} />
      <p class="text-sm text-soft">{t("invite.once")}</p>
    </ShownOnce>
  );
}
