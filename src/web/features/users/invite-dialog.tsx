import { useState } from "preact/hooks";
import type { Role } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { Radio } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { AccessFields } from "./access-fields.tsx";
import { InvitationResult } from "./invitation-result.tsx";
import { RoleSelect } from "./role-select.tsx";
import { usersApi } from "./users-api.ts";
import type { Access, Invitation, InviteDelivery } from "./users-types.ts";

/** A site either has a mail server or not: the way that worked last time is offered first. */
const DELIVERY_KEY = "lineside.invite";
const DELIVERIES = ["EMAIL", "MANUAL"] as const;

const everything: Access = {
  hasGlobalDeviceAccess: true,
  hasGlobalAssetAccess: false,
  deviceIds: [],
  assetIds: [],
};

function DeliveryChoice(props: { delivery: InviteDelivery; onChange: (delivery: InviteDelivery) => void }) {
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-2 text-sm font-medium">{t("invite.how")}</legend>
      {DELIVERIES.map((delivery) => (
        <Radio
          key={delivery}
          name="delivery"
          checked={props.delivery === delivery}
          onChange={() => props.onChange(delivery)}
          hint={t(`deliveryHint.${delivery}`)}
        >
          {t(`delivery.${delivery}`)}
        </Radio>
      ))}
    </fieldset>
  );
}

/** Creates a user and then shows the details to hand over. */
export function InviteDialog({ onClose }: { onClose: (created: boolean) => void }) {
  const [role, setRole] = useState<Role>("TENANT_RW");
  const [access, setAccess] = useState(everything);
  const [delivery, setDelivery] = useState<InviteDelivery>(
    readStored(DELIVERY_KEY) === "MANUAL" ? "MANUAL" : "EMAIL",
  );
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const action = useAction();
  const close = () => onClose(invitation !== undefined);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const text = (name: string) => String(data.get(name)).trim();
    action.run(async () => {
      const created = await usersApi.create({
        fullName: text("fullName"),
        email: text("email"),
        role,
        inviteDelivery: delivery,
        ...access,
      });
      writeStored(DELIVERY_KEY, created.inviteSent ? "EMAIL" : "MANUAL");
      setInvitation(created);
    });
  };
  if (invitation) {
    const name = invitation.fullName || invitation.email;
    return (
      <Dialog key="result" title={t("invite.created", { name })} onClose={close} firm>
        <InvitationResult invitation={invitation} onClose={close} />
      </Dialog>
    );
  }
  const problem = fieldProblem(action.error, ["email"]);
  return (
    <Dialog key="form" title={t("users.invite")} onClose={close}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label={t("common.name")}
          name="fullName"
          required
          maxLength={200}
          pattern=".*\S.*"
          autofocus
        />
        <TextField
          label={t("common.eMail")}
          hint={t("invite.emailHint")}
          error={problem?.field === "email" ? problem.text : undefined}
          name="email"
          type="email"
          autocomplete="off"
          required
          maxLength={254}
        />
        <RoleSelect role={role} onChange={setRole} />
        <AccessFields access={access} onChange={setAccess} />
        <DeliveryChoice delivery={delivery} onChange={setDelivery} />
        {action.error !== undefined && !problem && <ErrorNote error={action.error} />}
        <FormButtons busy={action.busy} onCancel={close}>
          {t("invite.go")}
        </FormButtons>
      </form>
    </Dialog>
  );
}
