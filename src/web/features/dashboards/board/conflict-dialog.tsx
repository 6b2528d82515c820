import { useState } from "preact/hooks";
import { ApiError } from "../../../platform/api-client.ts";
import { formatAge, toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { now } from "../../../platform/now.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { useAction } from "../../../ui/form/use-form.ts";
import { type Dashboard, dashboardsApi } from "../dashboards-api.ts";

/** Saves a dashboard; asks first if another user has saved it meanwhile. */
export function useSaving(props: {
  dashboard: Pick<Dashboard, "id">;
  /** @param base `updatedAt` of the replaced version */
  save: (base: string) => Promise<Dashboard>;
  /** True if an earlier version is restored, so that no changes are lost. */
  isRestoring?: boolean;
  /** Called with the dashboard to show: the saved one or that of the other user. */
  onEnd: (shown: Dashboard) => void;
}) {
  const { dashboard, onEnd } = props;
  const action = useAction();
  const [theirs, setTheirs] = useState<Dashboard | undefined>(undefined);
  const save = (base: string) =>
    action.run(async () => {
      try {
        onEnd(await props.save(base));
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 412) throw error;
        setTheirs(await dashboardsApi.get(dashboard.id));
      }
    });
  const question = theirs && (
    <ConflictDialog
      theirs={theirs}
      isBusy={action.busy}
      isRestoring={props.isRestoring ?? false}
      onReload={() => onEnd(theirs)}
      onSave={() => {
        setTheirs(undefined);
        save(theirs.updatedAt);
      }}
      onClose={() => setTheirs(undefined)}
    />
  );
  return { isBusy: action.busy, error: action.error, save, question };
}

/** Asks about changes of a dashboard that another user has saved meanwhile. */
function ConflictDialog(props: {
  /** Dashboard as saved by the other user. */
  theirs: Dashboard;
  isBusy: boolean;
  isRestoring: boolean;
  onReload: () => void;
  onSave: () => void;
  onClose: () => void;
}) {
  const { updatedBy, updatedAt, name } = props.theirs;
  const { isRestoring } = props;
  return (
    <Dialog title={t("conflict.title")} onClose={props.onClose}>
      <div class="flex flex-col gap-4">
        <p class="wrap-anywhere">
          {t("conflict.who", {
            who: updatedBy,
            name,
            age: formatAge(toMs(updatedAt) ?? now.value, now.value),
          })}
        </p>
        <p class="text-soft">{t(isRestoring ? "conflict.restoreHint" : "conflict.hint")}</p>
        <div class="flex flex-wrap justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={props.onClose}>
            {t(isRestoring ? "common.cancel" : "conflict.continue")}
          </button>
          <button type="button" class="btn" onClick={props.onReload}>
            {t("conflict.reload")}
          </button>
          <button type="button" class="btn btn-primary" disabled={props.isBusy} onClick={props.onSave}>
            {t(isRestoring ? "conflict.restore" : "conflict.save")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
