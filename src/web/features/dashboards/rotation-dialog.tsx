import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { ownAddress } from "../../platform/base.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type Dashboard, dashboardsApi } from "./dashboards-api.ts";
import { addressOf, ROTATION_DASHBOARDS_MAX, ROTATION_SECONDS, rotationQuery } from "./rotation.ts";

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
  /** In the order in which they were selected, which is the order of the wall. */
  const [ids, setIds] = useState<readonly string[]>([]);
  const [seconds, setSeconds] = useState<string>(String(ROTATION_SECONDS.usual));
  const address = addressOf(path, { ...rotationQuery(ids, Number(seconds)), device: deviceId });
  const url = ownAddress() + address;
  const others = (list.data ?? []).filter(({ id }) => id !== dashboard.id);
  const isFull = ids.length >= ROTATION_DASHBOARDS_MAX - 1;
  const submit = (e: Event) => {
    e.preventDefault();
    onStart(address);
  };
  return (
    <Dialog title={t("rotation.title")} onClose={onClose}>
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <p>{t("rotation.hint", { name: dashboard.name })}</p>
        {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
        {list.data && others.length === 0 && <p class="text-soft">{t("rotation.none")}</p>}
        <fieldset class="flex max-h-72 flex-col gap-2 overflow-y-auto">
          <legend class="mb-2 text-sm font-medium">{t("rotation.then")}</legend>
          {others.map(({ id, name }) => (
            <Checkbox
              key={id}
              checked={ids.includes(id)}
              disabled={isFull && !ids.includes(id)}
              onCheck={(isOn) => setIds(isOn ? [...ids, id] : ids.filter((other) => other !== id))}
            >
              {name}
            </Checkbox>
          ))}
        </fieldset>
        <TextField
          label={t("rotation.seconds")}
          type="number"
          required
          min={ROTATION_SECONDS.min}
          max={ROTATION_SECONDS.max}
          value={seconds}
          onText={setSeconds}
        />
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
            {t("rotation.start")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
