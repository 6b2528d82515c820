import { Mail, TriangleAlert } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import type { Invitation } from "./users-types.ts";

function Item({ label, text, copyLabel }: { label: string; text: string; copyLabel: string }) {
  return (
    <div class="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3">
      <dt class="panel-label">{label}</dt>
      <dd class="reading col-start-1 text-sm break-all" data-testid="invitation-detail">
        {text}
      </dd>
      <dd class="col-start-2 row-span-2 row-start-1">
        <CopyButton text={text} label={copyLabel} />
      </dd>
    </div>
  );
}

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

/** Sign-in details for a new user, shown only once: the service keeps no password that it could show again. */
export function InvitationResult({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { loginUrl, email, temporaryPassword, shareText } = invitation;
  return (
    <div class="flex flex-col gap-4" data-testid="invitation">
      <div role="status">
        <Sent invitation={invitation} />
      </div>
      <dl class="flex flex-col gap-3 rounded-field bg-base-200 p-3">
        <Item label={t("invite.link")} text={loginUrl} copyLabel={t("common.copyLink")} />
        <Item label={t("common.eMail")} text={email} copyLabel={t("invite.copyEmail")} />
        <Item label={t("invite.password")} text={temporaryPassword} copyLabel={t("invite.copyPassword")} />
      </dl>
      <div class="flex flex-col gap-2">
        <div class="flex items-end justify-between gap-3">
          <label class="text-sm font-medium" for="share-text">
            {t("invite.share")}
          </label>
          <CopyButton text={shareText} label={t("invite.copyShare")} />
        </div>
        <textarea id="share-text" class="textarea w-full text-sm" rows={8} readOnly value={shareText} />
      </div>
      <p class="text-sm text-soft">{t("invite.once")}</p>
      <div class="flex justify-end">
        <button type="button" class="btn btn-primary" onClick={onClose}>
          {t("invite.done")}
        </button>
      </div>
    </div>
  );
}
