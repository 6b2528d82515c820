import { useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { devicesApi } from "../devices/devices-api.ts";

/** Puts devices that exist behind a gateway. */
export function AttachDevices({ gatewayId, onClose }: { gatewayId: string; onClose: () => void }) {
  const [selected, setSelected] = useState<readonly string[]>([]);
  const action = useAction();
  const attach = () =>
    action.run(async () => {
      for (const [index, deviceId] of selected.entries())
        try {
          await devicesApi.update(deviceId, { parentDeviceId: gatewayId });
        } catch (error) {
          setSelected(selected.slice(index)); // those before it are attached
          throw error;
        }
      toast("success", plural("children.attached", selected.length));
      onClose();
    });
  return (
    <Dialog title={t("children.attach")} onClose={onClose}>
      <div class="flex flex-col gap-4">
        <p class="text-sm text-soft">{t("children.attachHint")}</p>
        <DevicePicker
          selected={selected}
          onChange={setSelected}
          only="DEVICE"
          isOffered={({ parentDeviceId }: DeviceRow) => parentDeviceId !== gatewayId}
        />
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.cancel")}
          </button>
          <button
            type="button"
            class="btn btn-primary"
            disabled={selected.length === 0 || action.busy}
            onClick={attach}
          >
            {t("children.attachGo")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
