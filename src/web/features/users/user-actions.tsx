import { KeyRound, Mail } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { codeText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { InvitationResult } from "./invitation-result.tsx";
import { usersApi } from "./users-api.ts";
import type { Invitation, InviteDelivery, User } from "./users-types.ts";

/** Actions on a user in addition to editing: inviting again, and deleting. */
export function UserActions({ user }: { user: User }) {
  const [asking, setAsking] = useState<InviteDelivery | "delete" | undefined>(undefined);
  const close = () => setAsking(undefined);
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
          <Button
            icon={Mail}
            size={14}
            disabled={user.status !== "ACTIVE"}
            onClick={() => setAsking("EMAIL")}
          >
            {t("delivery.EMAIL")}
          </Button>
          <Button
            icon={KeyRound}
            size={14}
            disabled={user.status !== "ACTIVE"}
            onClick={() => setAsking("MANUAL")}
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
          onClick={() => setAsking("delete")}
        >
          {t("user.delete")}
        </button>
      </section>
      {asking === "delete" && <DeleteDialog user={user} onClose={close} />}
      {(asking === "EMAIL" || asking === "MANUAL") && (
        <InviteAgainDialog user={user} delivery={asking} onClose={close} />
      )}
    </>
  );
}

function InviteAgainDialog(props: { user: User; delivery: InviteDelivery; onClose: () => void }) {
  const { user, delivery, onClose } = props;
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const action = useAction();
  const name = user.fullName || user.email;
  if (invitation)
    return (
      <Dialog key="result" title={t("invite.renewed", { name })} onClose={onClose} firm>
        <InvitationResult invitation={invitation} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog key="question" title={t(`delivery.${delivery}`)} onClose={onClose}>
      <div class="flex flex-col gap-4">
        <p>{t("invite.resets", { name })}</p>
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.cancel")}
          </button>
          <button
            type="button"
            class="btn btn-primary"
            disabled={action.busy}
            onClick={() =>
              action.run(async () => setInvitation(await usersApi.invite(user.userId, delivery)))
            }
          >
            {t("invite.go")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function DeleteDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { route } = useLocation();
  const name = user.fullName || user.email;
  return (
    <ConfirmDialog
      title={t("user.delete")}
      warning={t("user.deleteWarning", { name })}
      onCancel={onClose}
      onConfirm={async () => {
        await usersApi.delete(user.userId);
        toast("success", t("common.nameIsDeleted", { name }));
        route("/settings/users", true);
      }}
    />
  );
}
