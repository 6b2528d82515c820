import { LayoutDashboard } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { dashboardsApi } from "./dashboards-api.ts";

/** Creates the automatic dashboard of a device type and opens it; absent without the permission. */
export function TypeDashboardButton({ deviceType, text }: { deviceType: string; text?: string }) {
  const { route } = useLocation();
  const action = useAction();
  if (!may("dashboards:write")) return null;
  const create = () =>
    action.run(async () => {
      try {
        const request = { deviceType, template: "AUTO", timezone: ownZone() } as const;
        const { id, name } = await dashboardsApi.forType(request);
        toast("success", t("dashboards.created", { name }));
        route(`/dashboards/${id}`);
      } catch (error) {
        toast("error", errorText(error));
      }
    });
  return (
    <Button icon={LayoutDashboard} disabled={action.busy} onClick={create}>
      {text ?? t("dashboards.create")}
    </Button>
  );
}

/** Works like `TypeDashboardButton` for the devices of a profile, which may have several types. */
export function ProfileDashboardButton({ profileId }: { profileId: string }) {
  const types = useResource(() => devicesApi.typesOfProfile(profileId), [profileId]).data ?? [];
  const [selected, setSelected] = useState<string | undefined>(undefined);
  const [first] = types;
  if (first === undefined || !may("dashboards:write")) return null;
  return (
    <div class="flex flex-wrap items-center gap-2">
      {types.length > 1 && (
        <select
          class="select select-sm w-auto"
          aria-label={t("common.type")}
          onChange={(e) => setSelected(e.currentTarget.value)}
        >
          {types.map(({ deviceType, count }) => (
            <option key={deviceType} value={deviceType}>
              {t("dashboards.typeOption", { type: deviceType, count })}
            </option>
          ))}
        </select>
      )}
      <TypeDashboardButton deviceType={selected ?? first.deviceType} />
    </div>
  );
}
