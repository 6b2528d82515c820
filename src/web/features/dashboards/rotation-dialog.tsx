import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { type Dashboard, dashboardsApi } from "./dashboards-api.ts";
import { addressOf, rotationQuery } from "./rotation.ts";
import { newRotation, RotationFields } from "./rotation-fields.tsx";

interface Props {
  readonly dashboard: Dashboard;
  /** The device that the dashboards are opened with. */
  readonly deviceId: string | undefined;
  readonly onStart: (address: string) => void;
  readonly onClose: () => void;
}

/** Selects the dashboards that a wall shows in turn and the seconds for each, and gives the address of that wall. */
export function RotationDialog({ dashboard, deviceId, onStart, onClose }: Props) {
  const { path } = useLocation();
  const list = useResource(dashboardsApi.list, []);
  const [form, setForm] = useState(newRotation);
  const { ids, seconds } = form;
  const address = addressOf(path, { ...rotationQuery(ids, Number(seconds)), device: deviceId });
  const url = ownAddress() + address;
  const submit = (e: Event) => {
    e.preventDefault();
    onStart(address);
  };
  return (
    <Dialog title={t("rotation.title")} onClose={onClose}>
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <p>{t("rotation.hint", { name: dashboard.name })}</p>
        <ErrorNote of={list} />
        <RotationFields dashboardId={dashboard.id} dashboards={list.data} form={form} onChange={setForm} />
        {ids.length > 0 && (
          <div class="flex items-start gap-2 rounded-field bg-base-200 p-3">
            <a class="link min-w-0 flex-1 text-sm break-all" href={url} target="_blank" rel="noreferrer">
              {url}
            </a>
            <CopyButton text={url} label={t("rotation.copy")} />
          </div>
        )}
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.close")}
          </button>
          <button type="submit" class="btn btn-primary" disabled={ids.length === 0}>
            {t("common.start")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
