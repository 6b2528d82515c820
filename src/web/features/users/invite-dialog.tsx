import { useState } from "preact/hooks";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { SchemaDialog } from "../../ui/form/schema-form.tsx";
import { InvitationResult } from "./invitation-result.tsx";
import { invitationForm } from "./user-form.ts";
import { usersApi } from "./users-api.ts";
import type { Invitation, NewUser } from "./users-types.ts";

/** A site either has a mail server or not, so the method that worked last time is preselected. */
const DELIVERY_KEY = "lineside.invite";

const newUser = (): FormValues => ({
  role: "TENANT_RW",
  inviteDelivery: readStored(DELIVERY_KEY) === "MANUAL" ? "MANUAL" : "EMAIL",
  hasGlobalDeviceAccess: true,
  hasGlobalAssetAccess: false,
  deviceIds: [],
  assetIds: [],
});

/** Creates a user and then shows the details to hand over. */
export function InviteDialog({ onClose }: { onClose: (created: boolean) => void }) {
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const close = () => onClose(invitation !== undefined);
  if (invitation) {
    const name = invitation.fullName || invitation.email;
    return <InvitationResult title={t("invite.created", { name })} invitation={invitation} onClose={close} />;
  }
  return (
    <SchemaDialog
      key="form"
      title={t("users.invite")}
      submitText={t("invite.go")}
      form={invitationForm}
      initial={newUser()}
      onSave={async (body) => {
        const created = await usersApi.create(body as NewUser); // the API checks it
        writeStored(DELIVERY_KEY, created.inviteSent ? "EMAIL" : "MANUAL");
        setInvitation(created);
      }}
      onClose={close}
    />
  );
}
