import { KeyRound, Mail } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { codeText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { ask, confirmDelete } from "../../ui/confirmation.tsx";
import { InvitationResult } from "./invitation-result.tsx";
import { usersApi } from "./users-api.ts";
import type { Invitation, InviteDelivery, User } from "./users-types.ts";

/** Actions on a user in addition to editing: inviting again, and deleting. */
export function UserActions({ user }: { user: User }) {
  const { route } = useLocation();
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const name = user.fullName || user.email;
  const invite = (delivery: InviteDelivery) =>
    ask({
      title: t(`delivery.${delivery}`),
      warning: t("invite.resets", { name }),
      action: t("invite.go"),
      onConfirm: async () => setInvitation(await usersApi.invite(user.userId, delivery)),
    });
  const remove = () =>
    confirmDelete({
      name,
      title: t("user.delete"),
      warning: t("user.deleteWarning", { name }),
      onDelete: () => usersApi.delete(user.userId),
      onDeleted: () => route("/settings/users", true),
    });
  return (
    <>
      <section class="panel flex flex-wrap items-center justify-between gap-4 p-4">
        <div class="min-w-0">
          <h3 class="font-semibold">{t("invite.again")}</h3>
          <p class="text-sm text-soft">
            {user.status === "ACTIVE" ? t("invite.againHint") : codeText("user.disabled_invitation")}
          </p>
        </div>
        <div class="flex flex-wrap gap-2">
          <Button icon={Mail} size={14} disabled={user.status !== "ACTIVE"} onClick={() => invite("EMAIL")}>
            {t("delivery.EMAIL")}
          </Button>
          <Button
            icon={KeyRound}
            size={14}
            disabled={user.status !== "ACTIVE"}
            onClick={() => invite("MANUAL")}
          >
            {t("delivery.MANUAL")}
          </Button>
        </div>
      </section>
      <section class="panel flex flex-wrap items-center justify-between gap-4 border-l-4 border-l-error p-4">
        <div class="min-w-0">
          <h3 class="font-semibold">{t("user.delete")}</h3>
          <p class="text-sm text-soft">
            {user.isProtected ? codeText("user.protected") : t("user.deleteHint")}
          </p>
        </div>
        <button
          type="button"
          class="btn btn-outline btn-error btn-sm"
          disabled={user.isProtected}
          onClick={remove}
        >
          {t("user.delete")}
        </button>
      </section>
      {invitation && (
        <InvitationResult
          title={t("invite.renewed", { name })}
          invitation={invitation}
          onClose={() => setInvitation(undefined)}
        />
      )}
    </>
  );
}
