import { Wrench } from "lucide-preact";
import { useState } from "preact/hooks";
import { MINUTE_MS } from "../../../lib/core/units.ts";
import type { DeviceDetail, Maintenance } from "../../lib/api-types.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { ownZone, toZonedText } from "../../lib/zoned-time.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { maintenanceApi } from "./maintenance-api.ts";

const LENGTHS = [
  ["minutes30", 30],
  ["hour1", 60],
  ["hours4", 240],
  ["day1", 1440],
  ["days7", 10_080],
] as const;
const OWN = "own";

const mayMaintain = (): boolean => may("maintenance:write");

interface Props {
  readonly device: DeviceDetail;
  readonly onChanged: () => void;
}

/** Starts the maintenance of a device. During maintenance, `MaintenanceBanner` is shown instead. */
export function MaintenanceButton({ device, onChanged }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (!mayMaintain() || device.maintenance) return null;
  return (
    <>
      <Button icon={Wrench} onClick={() => setOpen(true)}>
        {t("maintenance.begin")}
      </Button>
      {isOpen && <MaintenanceDialog device={device} onChanged={onChanged} onClose={() => setOpen(false)} />}
    </>
  );
}

const timeOf = (iso: string) => formatDate(toMs(iso) ?? 0, "full");

/** Shows that the alarms of a device are suppressed, with end, reason and author. */
export function MaintenanceBanner({ device, onChanged }: Props) {
  const [isOpen, setOpen] = useState(false);
  const ending = useAction();
  const { maintenance } = device;
  if (!maintenance) return null;
  const isOwn = maintenance.deviceId === device.deviceId;
  const end = () =>
    ending.run(async () => {
      await maintenanceApi.end(device.deviceId);
      onChanged();
      toast("success", t("maintenance.ended"));
    });
  return (
    <section
      class="panel flex flex-wrap items-center gap-3 border-l-4 border-l-warning p-4"
      aria-label={t("maintenance.begin")}
      data-testid="maintenance"
    >
      <Wrench size={20} class="flex-none text-warning" aria-hidden="true" />
      <div class="min-w-0 flex-1 basis-64">
        <p class="font-medium">
          {t(isOwn ? "maintenance.banner" : "maintenance.ofGateway", { until: timeOf(maintenance.until) })}
        </p>
        <p class="text-sm break-words text-soft">
          {maintenance.reason !== "" && `${maintenance.reason} · `}
          {t("maintenance.who", { by: maintenance.by, since: timeOf(maintenance.since) })}
        </p>
      </div>
      {isOwn && mayMaintain() && (
        <div class="flex gap-2">
          <button type="button" class="btn btn-sm" onClick={() => setOpen(true)}>
            {t("maintenance.change")}
          </button>
          <button type="button" class="btn btn-sm" disabled={ending.busy} onClick={end}>
            {t("maintenance.end")}
          </button>
        </div>
      )}
      <ErrorNote error={ending.error} />
      {isOpen && (
        <MaintenanceDialog
          device={device}
          known={maintenance}
          onChanged={onChanged}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}

function MaintenanceDialog({
  device,
  known,
  onChanged,
  onClose,
}: Props & { known?: Maintenance; onClose: () => void }) {
  const [length, setLength] = useState<string>(known ? OWN : "hour1");
  const [isPast, setPast] = useState(false);
  const action = useAction();
  const submit = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const minutes = LENGTHS.find(([name]) => name === length)?.[1];
    const until =
      minutes === undefined ? Date.parse(String(data.get("until"))) : serverNow() + minutes * MINUTE_MS;
    setPast(!(until > serverNow()));
    if (!(until > serverNow())) return;
    action.run(async () => {
      await maintenanceApi.begin(device.deviceId, {
        until: new Date(until).toISOString(),
        reason: String(data.get("reason")).trim(),
      });
      onChanged();
      onClose();
      toast("success", t("maintenance.begun"));
    });
  };
  return (
    <FormDialog
      title={t("maintenance.title", { name: device.name })}
      submitText={known ? t("common.save") : t("maintenance.start")}
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
      onClose={onClose}
    >
      <p class="text-sm text-soft">
        {t("maintenance.intro")} {device.role === "GATEWAY" && t("maintenance.gatewayIntro")}
      </p>
      <SelectField
        label={t("maintenance.length")}
        value={length}
        options={[
          ...LENGTHS.map(([name]) => [name, t(`maintenance.${name}`)] as const),
          [OWN, `${t("maintenance.own")} …`],
        ]}
        onSelect={setLength}
      />
      {length === OWN && (
        <TextField
          label={t("maintenance.until")}
          error={isPast ? t("maintenance.untilPast") : undefined}
          type="datetime-local"
          name="until"
          required
          defaultValue={toZonedText(toMs(known?.until) ?? serverNow() + 60 * MINUTE_MS, ownZone())}
        />
      )}
      <TextField
        label={t("maintenance.reason")}
        hint={t("maintenance.reasonHint")}
        name="reason"
        maxLength={maxLengthOf("maintenance/maintenance.schemas.ts", "beginBody", "reason")}
        defaultValue={known?.reason ?? ""}
      />
    </FormDialog>
  );
}
