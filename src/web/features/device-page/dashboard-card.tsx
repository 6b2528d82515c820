import { useState } from "preact/hooks";
import type { DeviceDetail } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { dashboardsApi } from "../dashboards/dashboards-api.ts";
import { devicesApi } from "../devices/devices-api.ts";

/** Card for the dashboard that the device's page links to: its own, or that of all devices of its type. */
export function DashboardCard({ device, onChanged }: { device: DeviceDetail; onChanged: () => void }) {
  const dashboards = useResource(dashboardsApi.list, []);
  const [selected, setSelected] = useState(device.targetDashboardId ?? "");
  const [isForAll, setForAll] = useState(false);
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      await devicesApi.update(device.deviceId, {
        targetDashboardId: selected === "" ? null : selected,
        ...(isForAll && { applyToAllOfType: true }),
      });
      toast("success", t("settings.saved"));
      onChanged();
    });
  };
  return (
    <form class="panel flex flex-col gap-4 p-4" onSubmit={submit} data-testid="dashboard-card">
      <fieldset class="contents" disabled={!mayWrite.value}>
        <SelectField
          label={t("common.dashboard")}
          hint={t("device.dashboardHint")}
          value={selected}
          options={(dashboards.data ?? []).map(({ id, name }) => [id, name] as const)}
          none={t("device.noDashboard")}
          onSelect={setSelected}
          onNone={() => setSelected("")}
        />
        <Checkbox checked={isForAll} onCheck={setForAll}>
          {t("device.dashboardForAll", { type: device.deviceType ?? "" })}
        </Checkbox>
      </fieldset>
      <ErrorNote error={action.error} />
      {mayWrite.value && (
        <div class="flex justify-end">
          <SubmitButton busy={action.busy}>{t("device.saveDashboard")}</SubmitButton>
        </div>
      )}
    </form>
  );
}
