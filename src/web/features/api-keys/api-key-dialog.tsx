import { useState } from "preact/hooks";
import type { Role } from "../../lib/api-types.ts";
import { type Expiry, expiryTime } from "../../lib/expiry.ts";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { Radio } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { fieldProblem } from "../../ui/error-text.ts";
import { ExpiryFields } from "../../ui/expiry-fields.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { RoleSelect } from "../users/role-select.tsx";
import { apiKeysApi } from "./api-keys-api.ts";

type Created = Awaited<ReturnType<typeof apiKeysApi.create>>;

/** Creates a key and shows it once. */
export function ApiKeyDialog({ onClose }: { onClose: (created: boolean) => void }) {
  const [createdItem, setCreated] = useState<Created | undefined>(undefined);
  const close = () => onClose(createdItem !== undefined);
  if (createdItem)
    return (
      <Dialog key="made" title={t("keys.ready", { name: createdItem.name })} onClose={close} firm>
        <ShownOnce secret={createdItem.key} onClose={close} />
      </Dialog>
    );
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
  const action = useAction();
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
  const problem = fieldProblem(action.error, ["name"]);
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <TextField
        label={t("common.name")}
        hint={t("keys.nameHint")}
        error={problem?.field === "name" ? problem.text : undefined}
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
      {action.error !== undefined && !problem && <ErrorNote error={action.error} />}
      <FormButtons busy={action.busy} onCancel={onClose}>
        {t("keys.create")}
      </FormButtons>
    </form>
  );
}

function ShownOnce({ secret, onClose }: { secret: string; onClose: () => void }) {
  const example = `curl -H "Authorization: Bearer ${secret}" ${ownAddress()}/api/devices`;
  return (
    <div class="flex flex-col gap-4" data-testid="made-key">
      <p role="status">{t("keys.once")}</p>
      <div class="flex flex-col gap-2 rounded-field bg-base-200 p-3">
        <div class="flex items-center justify-between gap-3">
          <span class="panel-label">{t("common.apiKey")}</span>
          <CopyButton text={secret} label={t("common.copyKey")} />
        </div>
        <code class="reading text-sm break-all">{secret}</code>
      </div>
      <div class="flex flex-col gap-2 rounded-field bg-base-200 p-3">
        <div class="flex items-center justify-between gap-3">
          <span class="panel-label">{t("keys.example")}</span>
          <CopyButton text={example} label={t("common.copyExample")} />
        </div>
        <code class="reading text-sm break-all">{example}</code>
      </div>
      <div class="flex justify-end">
        <button type="button" class="btn btn-primary" onClick={onClose}>
          {t("keys.done")}
        </button>
      </div>
    </div>
  );
}
