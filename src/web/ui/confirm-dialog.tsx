import { t } from "../platform/i18n/i18n.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";
import { useAction } from "./use-form.ts";

/** Asks before something that cannot be taken back; what fails is said in it, and it stays open. */
export function ConfirmDialog(props: {
  title: string;
  warning: string;
  /** Text of the button; "Delete" by default. */
  action?: string;
  onConfirm: () => Promise<unknown>;
  onCancel: () => void;
}) {
  const action = useAction();
  return (
    <Dialog title={props.title} onClose={props.onCancel}>
      <div class="flex flex-col gap-4">
        <p class="wrap-anywhere">{props.warning}</p>
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={props.onCancel}>
            {t("common.cancel")}
          </button>
          <button
            type="button"
            class="btn btn-error"
            disabled={action.busy}
            onClick={() => action.run(props.onConfirm)}
          >
            {props.action ?? t("common.delete")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
