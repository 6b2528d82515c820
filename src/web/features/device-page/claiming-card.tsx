import type { DeviceDetail } from "../../lib/api-types.ts";
import { formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { devicesApi } from "../devices/devices-api.ts";

/** Card with the user who has claimed a device, or the time until which it can be claimed. Empty for a device without a claiming request. */
export function ClaimingCard({ device }: { device: DeviceDetail }) {
  const { deviceId } = device;
  const claiming = useResource(() => devicesApi.claiming(deviceId), [deviceId]);
  const action = useAction();
  const { state = "NONE", claimedBy = "", claimedAt = "", expiresAt = "" } = claiming.data ?? {};
  if (state === "NONE") return null;
  const release = () =>
    action.run(async () => {
      await devicesApi.release(deviceId);
      toast("success", t("claiming.released", { name: device.name }));
      claiming.reload();
    });
  const time = formatDate(Date.parse(claimedAt || expiresAt), "full");
  return (
    <section class="panel flex flex-wrap items-center justify-between gap-4 p-4">
      <div class="min-w-0">
        <h2 class="font-semibold">{t("claiming.title")}</h2>
        <p class="text-sm wrap-anywhere text-soft">{t(`claiming.${state}`, { name: claimedBy, time })}</p>
        <ErrorNote error={action.error} />
      </div>
      {mayWrite.value && (
        <button type="button" class="btn btn-sm" disabled={action.busy} onClick={release}>
          {t(state === "CLAIMED" ? "claiming.release" : "claiming.close")}
        </button>
      )}
    </section>
  );
}
