import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "../devices/devices-api.ts";

/** Detaches a device from its gateway, after a confirmation. */
export function DetachDevice(props: {
  device: { deviceId: string; name: string };
  onClose: () => void;
  onDone: () => void;
}) {
  const { deviceId, name } = props.device;
  const action = useAction();
  const detach = () =>
    action.run(async () => {
      await devicesApi.update(deviceId, { parentDeviceId: null });
      toast("success", t("children.detached", { name }));
      props.onDone();
      props.onClose();
    });
  return (
    <Dialog title={t("children.detachOf", { name })} onClose={props.onClose}>
      <div class="flex flex-col gap-4">
        <p>{t("children.detachWarning")}</p>
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={props.onClose}>
            {t("common.cancel")}
          </button>
          <button type="button" class="btn btn-primary" disabled={action.busy} onClick={detach}>
            {t("children.detach")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
