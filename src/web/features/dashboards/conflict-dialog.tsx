import { formatAge, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { Dashboard } from "./dashboards-api.ts";

/** Asks what to do with changes of a dashboard that somebody else has saved in the meantime. */
export function ConflictDialog(props: {
  /** The dashboard as saved by the other person. */
  theirs: Dashboard;
  isBusy: boolean;
  onReload: () => void;
  onSave: () => void;
  onClose: () => void;
}) {
  const { updatedBy, updatedAt, name } = props.theirs;
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
        <p class="text-soft">{t("conflict.hint")}</p>
        <div class="flex flex-wrap justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={props.onClose}>
            {t("conflict.continue")}
          </button>
          <button type="button" class="btn" onClick={props.onReload}>
            {t("conflict.reload")}
          </button>
          <button type="button" class="btn btn-primary" disabled={props.isBusy} onClick={props.onSave}>
            {t("conflict.save")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
