import { useState } from "preact/hooks";
import { type Expiry, expiryTime } from "../../lib/expiry.ts";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Copyable, ShownOnce } from "../../ui/shown-once.tsx";
import { newKeyForm } from "./api-key-form.tsx";
import { apiKeysApi, type NewApiKey } from "./api-keys-api.ts";

type Created = Awaited<ReturnType<typeof apiKeysApi.create>>;

/** Creates an API key and then shows it. */
export function ApiKeyDialog({ onClose }: { onClose: () => void }) {
  const [created, setCreated] = useState<Created | undefined>(undefined);
  const form = useSchemaForm(newKeyForm, { role: "TENANT_READ_ONLY", expiry: "365" });
  const submit = (element: HTMLFormElement) => {
    const { expiry, deviceIds } = form.state.values;
    const day = String(new FormData(element).get("day") ?? "");
    const expiresAt = expiryTime(expiry as Expiry, day, serverNow()); // as its control sets it
    if ((Array.isArray(deviceIds) && deviceIds.length === 0) || expiresAt === undefined) return;
    form.send(async (body) => setCreated(await apiKeysApi.create({ ...(body as NewApiKey), expiresAt })));
  };
  if (created) return <CreatedKey created={created} onClose={onClose} />;
  return (
    <FormDialog
      key="form"
      {...form.dialog}
      title={t("keys.create")}
      submitText={t("keys.create")}
      onSubmit={submit}
      onClose={onClose}
    >
      <SchemaFields form={newKeyForm} {...form.state} />
    </FormDialog>
  );
}

function CreatedKey({ created, onClose }: { created: Created; onClose: () => void }) {
  const example = `curl -H "Authorization: Bearer ${created.key}" ${ownAddress()}/api/devices`;
  return (
    <ShownOnce
      title={t("keys.ready", { name: created.name })}
      note={t("keys.once")}
      doneText={t("keys.done")}
      onClose={onClose}
      testId="made-key"
    >
      <Copyable name={t("common.apiKey")} text={created.key} copyText={t("common.copyKey")} />
      <Copyable name={t("keys.example")} text={example} copyText={t("common.copyExample")} />
    </ShownOnce>
  );
}
