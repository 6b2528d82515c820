import { useState } from "preact/hooks";
import type { Role } from "../../lib/api-types.ts";
import { type Expiry, expiryTime } from "../../lib/expiry.ts";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { Radio } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { ExpiryFields } from "../../ui/expiry-fields.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { Copyable, ShownOnce } from "../../ui/shown-once.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { RoleSelect } from "../users/role-select.tsx";
import { apiKeysApi } from "./api-keys-api.ts";

type Created = Awaited<ReturnType<typeof apiKeysApi.create>>;

export function ApiKeyDialog({ onClose }: { onClose: (created: boolean) => void }) {
  const [createdItem, setCreated] = useState<Created | undefined>(undefined);
  const close = () => onClose(createdItem !== undefined);
  if (createdItem) return <CreatedKey created={createdItem} onClose={close} />;
  return (
    <Dialog key="form" title={t("keys.create")} onClose={close}>
      <KeyForm onCreated={setCreated} onClose={close} />
    </Dialog>
  );
}

function KeyForm({ onCreated, onClose }: { onCreated: (created: Created) => void; onClose: () => void }) {
  const [role, setRole] = useState<Role>("TENANT_READ_ONLY");
  const [expiry, setExpiry] = useState<Expiry>("365");
  /** `undefined` if all that the maker sees. */
  const [deviceIds, setDeviceIds] = useState<readonly string[] | undefined>(undefined);
  const [isNothingSelected, setNothingSelected] = useState(false);
  const action = useAction(["name"]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const expiresAt = expiryTime(expiry, String(data.get("day") ?? ""), serverNow());
    setNothingSelected(deviceIds?.length === 0);
    if (deviceIds?.length === 0 || expiresAt === undefined) return;
    const name = String(data.get("name")).trim();
    action.run(async () =>
      onCreated(await apiKeysApi.create({ name, role, expiresAt, ...(deviceIds && { deviceIds }) })),
    );
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <TextField
        label={t("common.name")}
        hint={t("keys.nameHint")}
        error={action.errorOf("name")}
        name="name"
        required
        maxLength={100}
        pattern=".*\S.*"
        autofocus
      />
      <RoleSelect role={role} onChange={setRole} />
      <ExpiryFields expiry={expiry} onChange={setExpiry} />
      <fieldset class="flex flex-col gap-3">
        <legend class="mb-2 text-sm font-medium">{t("access.title")}</legend>
        <Radio
          name="devices"
          checked={deviceIds === undefined}
          onChange={() => setDeviceIds(undefined)}
          hint={t("keys.allHint")}
        >
          {t("keys.all")}
        </Radio>
        <label class="flex cursor-pointer items-start gap-3">
          <input
            type="radio"
            name="devices"
            class="radio radio-sm mt-0.5"
            checked={deviceIds !== undefined}
            onChange={() => setDeviceIds([])}
          />
          {t("access.some")}
        </label>
        {deviceIds && <DevicePicker selected={deviceIds} onChange={setDeviceIds} />}
        {isNothingSelected && deviceIds?.length === 0 && (
          <p role="alert" class="text-sm text-error">
            {t("keys.selectOne")}
          </p>
        )}
      </fieldset>
      <ErrorNote error={action.error} />
      <FormButtons busy={action.busy} onCancel={onClose}>
        {t("keys.create")}
      </FormButtons>
    </form>
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
