import { useLocation } from "preact-iso";
import { t } from "../i18n/i18n.ts";
import { api } from "../state/api.ts";
import { useResource } from "../state/resource.ts";
import { ErrorNote } from "./error-note.tsx";
import { Dialog, Field, SubmitButton } from "./parts.tsx";
import { useAction } from "./use-form.ts";

/** Makes a device and lands on its Connect tab, where the next step is. */
export function CreateDevice({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const types = useResource(api.deviceTypes, []);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const label = String(data.get("label")).trim();
    action.run(async () => {
      const device = await api.createDevice({
        name: String(data.get("name")).trim(),
        deviceType: String(data.get("deviceType")).trim(),
        role: data.get("gateway") ? "GATEWAY" : "DEVICE",
        ...(label && { label }),
      });
      route(`/devices/${device.deviceId}/connect`);
    });
  };
  return (
    <Dialog title={t("devices.create")} onClose={onClose}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <Field label={t("device.name")} hint={t("device.nameHint")}>
          <input class="input w-full" name="name" required maxLength={255} autofocus />
        </Field>
        <Field label={t("device.type")} hint={t("device.typeHint")}>
          <input
            class="input w-full"
            name="deviceType"
            required
            maxLength={120}
            list="device-types"
            defaultValue="sensor"
          />
        </Field>
        <datalist id="device-types">
          {types.data?.map(({ deviceType }) => (
            <option key={deviceType} value={deviceType} />
          ))}
        </datalist>
        <Field label={t("device.label")}>
          <input class="input w-full" name="label" maxLength={255} />
        </Field>
        <label class="flex cursor-pointer items-start gap-3">
          <input type="checkbox" name="gateway" class="checkbox checkbox-sm mt-0.5" />
          <span>
            {t("device.isGateway")}
            <span class="block text-sm text-soft">{t("device.gatewayHint")}</span>
          </span>
        </label>
        {action.error !== undefined && <ErrorNote error={action.error} />}
        <div class="mt-2 flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.cancel")}
          </button>
          <SubmitButton busy={action.busy}>{t("devices.createGo")}</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}
