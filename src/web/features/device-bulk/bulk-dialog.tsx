import { useRef, useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Dialog } from "../../ui/dialog.tsx";
import type { BulkAction } from "./bulk-actions.ts";
import { BulkFields, requestOf } from "./bulk-form.tsx";
import { BulkOutcome, BulkProgressBar } from "./bulk-outcome.tsx";
import { type BulkProgress, runBulk } from "./bulk-run.ts";
import type { BulkResponse } from "./device-bulk-api.ts";

export interface BulkDialogProps {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly nameOf: (deviceId: string) => string;
  readonly onClose: () => void;
  /** Called after devices were changed. */
  readonly onChanged: () => void;
}

/** Dialog for one action on the selected devices: its form, its progress and its outcome. */
export function BulkDialog({ action, ids, nameOf, onClose, onChanged }: BulkDialogProps) {
  const [progress, setProgress] = useState<BulkProgress | undefined>(undefined);
  const [isDone, setDone] = useState(false);
  const [mistake, setMistake] = useState<string | undefined>(undefined);
  const isStopped = useRef(false);
  const run = async (send: (ids: readonly string[]) => Promise<BulkResponse>) => {
    const outcome = await runBulk(ids, send, { onProgress: setProgress, isStopped: () => isStopped.current });
    setProgress(outcome);
    setDone(true);
    onChanged();
  };
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const request = requestOf(action, new FormData(e.currentTarget));
    setMistake(typeof request === "string" ? t(request) : undefined);
    if (typeof request !== "string") void run(request);
  };
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  return (
    <Dialog title={t(`bulk.title.${action}`)} onClose={close} firm={progress !== undefined}>
      {progress === undefined && (
        <form class="flex flex-col gap-4" onSubmit={submit}>
          <p class={action === "delete" ? "" : "text-sm text-soft"}>
            {plural(action === "delete" ? "bulk.deleteWarning" : "bulk.devices", ids.length)}
          </p>
          <BulkFields action={action} mistake={mistake} />
          <div class="flex justify-end gap-2">
            <button type="button" class="btn btn-ghost" onClick={close}>
              {t("common.cancel")}
            </button>
            <button type="submit" class={`btn ${action === "delete" ? "btn-error" : "btn-primary"}`}>
              {plural(action === "delete" ? "bulk.deleteGo" : "bulk.apply", ids.length)}
            </button>
          </div>
        </form>
      )}
      {progress !== undefined && (
        <div class="flex flex-col gap-4">
          {isDone ? (
            <BulkOutcome progress={progress} nameOf={nameOf} />
          ) : (
            <BulkProgressBar progress={progress} />
          )}
          <div class="flex justify-end">
            {isDone ? (
              <button type="button" class="btn btn-primary" onClick={close}>
                {t("common.close")}
              </button>
            ) : (
              <button
                type="button"
                class="btn"
                onClick={() => {
                  isStopped.current = true;
                }}
              >
                {t("bulk.stop")}
              </button>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}
