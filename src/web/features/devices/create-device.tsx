import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "./devices-api.ts";

interface Props {
  readonly onClose: () => void;
  /** The new device is to be behind it. */
  readonly gateway?: { readonly deviceId: string };
}

/** Creates a device and opens its Connect tab; a child of a gateway joins the list of children. */
export function CreateDevice({ onClose, gateway }: Props) {
  const { route } = useLocation();
  const types = useResource(devicesApi.types, []);
  const action = useAction(["childName"]);
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
        <TextField
          label={t("common.name")}
          hint={t("device.nameHint")}
          name="name"
          required
          maxLength={255}
          autofocus
        />
        <TextField
          label={t("common.type")}
          hint={t("device.typeHint")}
          name="deviceType"
          required
          maxLength={120}
          list="device-types"
          defaultValue="sensor"
        />
        <datalist id="device-types">
          {types.data?.map(({ deviceType }) => (
            <option key={deviceType} value={deviceType} />
          ))}
        </datalist>
        <TextField label={t("device.label")} hint={t("device.labelHint")} name="label" maxLength={255} />
        {gateway ? (
          <TextField
            label={t("children.calledBy")}
            hint={t("child.nameHint")}
            error={action.errorOf("childName")}
            name="childName"
            maxLength={256}
            autocapitalize="off"
            class="input reading w-full"
          />
        ) : (
          <Checkbox name="gateway" hint={t("device.gatewayHint")}>
            {t("device.isGateway")}
          </Checkbox>
        )}
        <ErrorNote error={action.error} />
        <FormButtons busy={action.busy} onCancel={onClose}>
          {gateway ? t("children.createGo") : t("devices.createGo")}
        </FormButtons>
      </form>
    </Dialog>
  );
}
