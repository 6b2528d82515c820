import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { ask } from "../../ui/confirmation.tsx";
import { devicesApi } from "../devices/devices-api.ts";

export const detachDevice = (device: { deviceId: string; name: string }, onDone: () => void): void =>
  ask({
    title: t("children.detachOf", { name: device.name }),
    warning: t("children.detachWarning"),
    action: t("children.detach"),
    isHarmless: true,
    onConfirm: async () => {
      await devicesApi.update(device.deviceId, { parentDeviceId: null });
      toast("success", t("children.detached", { name: device.name }));
      onDone();
    },
  });
