import { useState } from "preact/hooks";
import type { Role } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { Radio } from "../../ui/choice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
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
  const action = useAction(["email"]);
  const close = () => onClose(invitation !== undefined);
  const submit = (form: HTMLFormElement) => {
    const data = new FormData(form);
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
    return <InvitationResult title={t("invite.created", { name })} invitation={invitation} onClose={close} />;
  }
  return (
    <FormDialog
      key="form"
      title={t("users.invite")}
      submitText={t("invite.go")}
      busy={action.busy}
      error={action.error}
      onSubmit={submit}
      onClose={close}
    >
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
        error={action.errorOf("email")}
        name="email"
        type="email"
        autocomplete="off"
        required
        maxLength={254}
      />
      <RoleSelect role={role} onChange={setRole} />
      <AccessFields access={access} onChange={setAccess} />
      <DeliveryChoice delivery={delivery} onChange={setDelivery} />
    </FormDialog>
  );
}
