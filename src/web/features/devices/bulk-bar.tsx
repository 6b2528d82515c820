import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { formatCount } from "../../platform/i18n/format.ts";
import { loadLanguage, plural, t } from "../../platform/i18n/i18n.ts";
import { loadPart } from "../../platform/load-part.ts";
import { language } from "../../platform/preferences.ts";
import { allowedBulkActions, type BulkAction } from "../device-bulk/bulk-actions.ts";
import type { BulkDialogProps } from "../device-bulk/bulk-dialog.tsx";
import type { DeviceSelection } from "./device-selection.ts";

interface Props {
  readonly selection: DeviceSelection;
  readonly total: number;
  readonly onChanged: () => void;
}

interface OpenDialog {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly Dialog: ComponentType<BulkDialogProps>;
  readonly isDeleted?: true;
}

const loadDialog = async () => {
  const load = () => import("../device-bulk/bulk-dialog.tsx");
  const [{ BulkDialog }] = await Promise.all([loadPart(load), loadLanguage(language.value)]);
  return BulkDialog;
};

export function BulkBar({ selection, total, onChanged }: Props) {
  const [opened, setOpened] = useState<OpenDialog | undefined>(undefined);
  const { size, ids, isBusy } = selection;
  const open = async (action: BulkAction) => setOpened({ action, ids, Dialog: await loadDialog() });
  const changed = () => {
    onChanged();
    if (opened?.action === "delete") setOpened({ ...opened, isDeleted: true });
  };
  const close = () => {
    if (opened?.isDeleted) selection.clear();
    setOpened(undefined);
  };
  return (
    <>
      {size > 0 && (
        <section
          class="panel flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2"
          aria-label={t("selection.label")}
        >
          <p class="font-medium" role="status">
            {plural("selection.count", size)}
          </p>
          {size < total && (
            <button type="button" class="link text-sm" disabled={isBusy} onClick={selection.selectAll}>
              {t("selection.all", { count: formatCount(total) })}
            </button>
          )}
          <button type="button" class="link text-sm" onClick={selection.clear}>
            {t("selection.clear")}
          </button>
          <div class="flex flex-wrap gap-2 sm:ml-auto">
            {allowedBulkActions().map((action) => (
              <button
                key={action}
                type="button"
                class={`btn btn-sm ${action === "delete" ? "text-error" : ""}`}
                disabled={isBusy}
                onClick={() => open(action)}
              >
                {t(`selection.${action}`)}
              </button>
            ))}
          </div>
        </section>
      )}
      {opened !== undefined && (
        <opened.Dialog
          action={opened.action}
          ids={opened.ids}
          nameOf={selection.nameOf}
          onClose={close}
          onChanged={changed}
        />
      )}
    </>
  );
}
