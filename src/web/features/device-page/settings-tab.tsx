import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { DeviceDetail } from "../../lib/api-types.ts";
import type { FormValues } from "../../lib/form-schema.ts";
import { roughDurationText } from "../../platform/i18n/duration-text.ts";
import { formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { SchemaForm } from "../../ui/form/schema-form.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Section } from "../../ui/page/section.tsx";
import { HistoryLink } from "../audit/history-link.tsx";
import { dashboardsApi } from "../dashboards/dashboards-api.ts";
import { deviceForm } from "../devices/device-form.tsx";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { KnownAssets } from "../devices/known-assets.tsx";
import { GatewayCard } from "../gateways/gateway-card.tsx";

/** Returns the effective inactivity timeout and its source. */
function inactivityText({ inactivity }: DeviceDetail): string {
  const { source, timeoutMs, intervalMs = 0 } = inactivity;
  const time = roughDurationText(timeoutMs);
  return t(`inactivity.${source}`, { time, interval: roughDurationText(intervalMs) });
}

export function SettingsTab({ device, resource }: DeviceTabProps) {
  const profiles = useResource(devicesApi.profiles, []);
  return (
    <div class="flex max-w-2xl flex-col gap-5">
      <Section id="device-facts" title={t("common.device")}>
        <SchemaForm
          form={deviceForm}
          initial={editOf(device)}
          isDisabled={!mayWrite.value}
          options={{ profileId: (profiles.data ?? []).map(({ profileId, name }) => [profileId, name]) }}
          hints={{ inactivityTimeoutMs: t("settings.inactivityHint", { current: inactivityText(device) }) }}
          onSave={async (body) => {
            await devicesApi.update(device.deviceId, body);
            resource.reload();
            toast("success", t("settings.saved"));
          }}
        >
          <KnownAssets />
        </SchemaForm>
      </Section>
      <DashboardCard key={device.targetDashboardId ?? ""} device={device} onChanged={resource.reload} />
      {device.role !== "GATEWAY" && <GatewayCard device={device} onChanged={resource.reload} />}
      <ClaimingCard device={device} />
      <HistoryLink id={device.deviceId} />
      {mayWrite.value && <DangerZone device={device} />}
    </div>
  );
}

const editOf = (device: DeviceDetail): FormValues => ({
  name: device.name,
  deviceType: device.deviceType ?? "",
  label: device.label ?? "",
  tags: device.tags ?? [],
  assetId: device.assetId ?? null,
  inactivityTimeoutMs: device.inactivityTimeoutMs ?? null,
  profileId: device.profileId,
  // A child cannot be a gateway.
  ...(device.parentDeviceId === undefined && { role: device.role }),
});

function DangerZone({ device }: { device: DeviceDetail }) {
  const { route } = useLocation();
  const remove = () =>
    confirmDelete({
      name: device.name,
      title: t("settings.delete"),
      warning: t("settings.deleteWarning"),
      typedLabel: t("settings.typeName", { name: device.name }),
      onDelete: () => devicesApi.delete(device.deviceId),
      onDeleted: () => route("/devices", true),
    });
  return (
    <section class="panel flex flex-wrap items-center justify-between gap-4 border-l-4 border-l-error p-4">
      <div class="min-w-0">
        <h2 class="font-semibold">{t("settings.delete")}</h2>
        <p class="text-sm text-soft">{t("settings.deleteHint")}</p>
      </div>
      <button type="button" class="btn btn-outline btn-error btn-sm" onClick={remove}>
        {t("settings.delete")}
      </button>
    </section>
  );
}

/** Card with the user who has claimed a device, or the time until which it can be claimed. Empty without a claiming request. */
function ClaimingCard({ device }: { device: DeviceDetail }) {
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

/** Card of the dashboard that the page of the device links to: its own, or that of all devices of its type. */
function DashboardCard({ device, onChanged }: { device: DeviceDetail; onChanged: () => void }) {
  const dashboards = useResource(dashboardsApi.list, []);
  const [selected, setSelected] = useState(device.targetDashboardId ?? "");
  const [isForAll, setForAll] = useState(false);
  const action = useAction();
  const submit = () =>
    action.run(async () => {
      await devicesApi.update(device.deviceId, {
        targetDashboardId: selected === "" ? null : selected,
        ...(isForAll && { applyToAllOfType: true }),
      });
      toast("success", t("settings.saved"));
      onChanged();
    });
  return (
    <div class="panel p-4" data-testid="dashboard-card">
      <SectionForm busy={action.busy} error={action.error} isFixed={!mayWrite.value} onSubmit={submit}>
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
      </SectionForm>
    </div>
  );
}
