import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { DeviceDetail } from "../../lib/api-types.ts";
import { roughDurationText } from "../../platform/i18n/duration-text.ts";
import { formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { HistoryLink } from "../audit/history-link.tsx";
import { dashboardsApi } from "../dashboards/dashboards-api.ts";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { type DeviceEdit, devicesApi } from "../devices/devices-api.ts";
import { KnownAssets } from "../devices/known-assets.tsx";
import { GatewayCard } from "../gateways/gateway-card.tsx";

const MINUTE_MS = 60_000;

function editFrom(form: HTMLFormElement): DeviceEdit {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const minutes = Number(text("inactivity"));
  return {
    name: text("name"),
    deviceType: text("deviceType"),
    label: text("label"),
    tags: text("tags")
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ""),
    assetId: text("assetId") || null,
    ...(text("profileId") && { profileId: text("profileId") }),
    inactivityTimeoutMs: minutes > 0 ? Math.round(minutes * MINUTE_MS) : null,
  };
}

/** Returns the inactivity timeout in effect, and its source. */
function inactivityText({ inactivity }: DeviceDetail): string {
  const { source, timeoutMs, intervalMs = 0 } = inactivity;
  const time = roughDurationText(timeoutMs);
  return t(`inactivity.${source}`, { time, interval: roughDurationText(intervalMs) });
}

export function SettingsTab({ device, resource }: DeviceTabProps) {
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const edit = editFrom(e.currentTarget);
    action.run(async () => {
      await devicesApi.update(device.deviceId, edit);
      resource.reload();
      toast("success", t("settings.saved"));
    });
  };
  return (
    <div class="flex max-w-2xl flex-col gap-5">
      <form class="panel flex flex-col gap-4 p-4" onSubmit={submit}>
        <fieldset class="contents" disabled={!mayWrite.value}>
          <SettingsFields device={device} />
        </fieldset>
        <ErrorNote error={action.error} />
        <div class="flex justify-end">
          {mayWrite.value && <SubmitButton busy={action.busy}>{t("settings.save")}</SubmitButton>}
        </div>
      </form>
      <DashboardCard key={device.targetDashboardId ?? ""} device={device} onChanged={resource.reload} />
      {device.role !== "GATEWAY" && <GatewayCard device={device} onChanged={resource.reload} />}
      <ClaimingCard device={device} />
      <HistoryLink id={device.deviceId} />
      {mayWrite.value && <DangerZone device={device} />}
    </div>
  );
}

function SettingsFields({ device }: { device: DeviceDetail }) {
  const profiles = useResource(devicesApi.profiles, []);
  const minutes = device.inactivityTimeoutMs ? device.inactivityTimeoutMs / MINUTE_MS : "";
  return (
    <>
      <TextField label={t("common.name")} name="name" required maxLength={255} defaultValue={device.name} />
      <div class="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t("common.type")}
          name="deviceType"
          maxLength={120}
          defaultValue={device.deviceType ?? ""}
        />
        <TextField label={t("device.label")} name="label" maxLength={255} defaultValue={device.label ?? ""} />
      </div>
      <div class="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t("device.tags")}
          hint={t("settings.tagsHint")}
          name="tags"
          defaultValue={device.tags?.join(", ") ?? ""}
        />
        <TextField
          label={t("common.asset")}
          hint={t("settings.assetHint")}
          name="assetId"
          maxLength={64}
          list="known-assets"
          defaultValue={device.assetId ?? ""}
        />
        <KnownAssets />
      </div>
      <div class="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t("settings.inactivity")}
          hint={t("settings.inactivityHint", { current: inactivityText(device) })}
          name="inactivity"
          type="number"
          min="0.1"
          step="any"
          defaultValue={String(minutes)}
        />
        <Field label={t("settings.profile")}>
          {profiles.data ? (
            <select class="select w-full" name="profileId" defaultValue={device.profileId ?? ""}>
              {profiles.data.map(({ profileId, name }) => (
                <option key={profileId} value={profileId} selected={profileId === device.profileId}>
                  {name}
                </option>
              ))}
            </select>
          ) : (
            <select class="select w-full" disabled />
          )}
        </Field>
      </div>
    </>
  );
}

function DangerZone({ device }: { device: DeviceDetail }) {
  const { route } = useLocation();
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const action = useAction();
  const remove = () =>
    action.run(async () => {
      await devicesApi.delete(device.deviceId);
      toast("success", t("common.nameIsDeleted", { name: device.name }));
      route("/devices", true);
    });
  return (
    <section class="panel flex flex-wrap items-center justify-between gap-4 border-l-4 border-l-error p-4">
      <div class="min-w-0">
        <h2 class="font-semibold">{t("settings.delete")}</h2>
        <p class="text-sm text-soft">{t("settings.deleteHint")}</p>
      </div>
      <button type="button" class="btn btn-outline btn-error btn-sm" onClick={() => setAsking(true)}>
        {t("settings.delete")}
      </button>
      {asking && (
        <Dialog title={t("settings.delete")} onClose={() => setAsking(false)}>
          <div class="flex flex-col gap-4">
            <p>{t("settings.deleteWarning")}</p>
            <TextField
              label={t("settings.typeName", { name: device.name })}
              value={typed}
              onText={setTyped}
            />
            <ErrorNote error={action.error} />
            <div class="flex justify-end gap-2">
              <button type="button" class="btn btn-ghost" onClick={() => setAsking(false)}>
                {t("common.cancel")}
              </button>
              <button
                type="button"
                class="btn btn-error"
                disabled={typed !== device.name || action.busy}
                onClick={remove}
              >
                {t("common.delete")}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** Card with the user who has claimed a device, or the time until which it can be claimed. Empty for a device without a claiming request. */
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

/** Card for the dashboard that the device's page links to: its own, or that of all devices of its type. */
function DashboardCard({ device, onChanged }: { device: DeviceDetail; onChanged: () => void }) {
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
