import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote, fieldProblem } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "./devices-api.ts";

interface Props {
  readonly onClose: () => void;
  /** The new device is to be behind it. */
  readonly gateway?: { readonly deviceId: string };
}

/** Makes a device and lands on its Connect tab, where the next step is; a child of a gateway just joins the others. */
export function CreateDevice({ onClose, gateway }: Props) {
  const { route } = useLocation();
  const types = useResource(devicesApi.types, []);
  const action = useAction();
  const problem = fieldProblem(action.error);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const label = String(data.get("label")).trim();
    const childName = String(data.get("childName") ?? "").trim();
    action.run(async () => {
      const device = await devicesApi.create({
        name: String(data.get("name")).trim(),
        deviceType: String(data.get("deviceType")).trim(),
        role: data.get("gateway") ? "GATEWAY" : "DEVICE",
        ...(label && { label }),
        ...(gateway && { parentDeviceId: gateway.deviceId }),
        ...(childName && { childName }),
      });
      if (gateway === undefined) return route(`/devices/${device.deviceId}/connect`);
      toast("success", t("children.created", { name: device.name }));
      onClose();
    });
  };
  return (
    <Dialog title={gateway ? t("children.create") : t("devices.create")} onClose={onClose}>
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
        {gateway ? (
          <Field
            label={t("children.calledBy")}
            hint={t("child.nameHint")}
            error={problem?.field === "childName" ? problem.text : undefined}
          >
            <input class="input reading w-full" name="childName" maxLength={256} autocapitalize="off" />
          </Field>
        ) : (
          <label class="flex cursor-pointer items-start gap-3">
            <input type="checkbox" name="gateway" class="checkbox checkbox-sm mt-0.5" />
            <span>
              {t("device.isGateway")}
              <span class="block text-sm text-soft">{t("device.gatewayHint")}</span>
            </span>
          </label>
        )}
        {action.error !== undefined && problem?.field !== "childName" && <ErrorNote error={action.error} />}
        <div class="mt-2 flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.cancel")}
          </button>
          <SubmitButton busy={action.busy}>
            {gateway ? t("children.createGo") : t("devices.createGo")}
          </SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}
