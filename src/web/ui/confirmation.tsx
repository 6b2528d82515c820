import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../platform/i18n/i18n.ts";
import { toast } from "../platform/toasts.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";
import { useAction } from "./use-form.ts";

interface Question {
  readonly title: string;
  readonly warning: string;
  /** Text of the button; "Delete" by default. */
  readonly action?: string;
  /** The question closes after it, and stays open with the error if it fails. */
  readonly onConfirm: () => Promise<unknown>;
}

const question = signal<Question | undefined>(undefined);

/** Asks before something that cannot be undone. */
export const ask = (asked: Question): void => {
  question.value = asked;
};

/** Asks before something is deleted, and says afterwards that it is. */
export function confirmDelete(asked: {
  readonly name: string;
  /** "Delete <name>" by default. */
  readonly title?: string;
  readonly warning: string;
  readonly onDelete: () => Promise<unknown>;
  readonly onDeleted: () => void;
}): void {
  const { name, title = t("common.deleteName", { name }), warning } = asked;
  const onConfirm = async () => {
    await asked.onDelete();
    toast("success", t("common.nameIsDeleted", { name }));
    asked.onDeleted();
  };
  ask({ title, warning, onConfirm });
}

/** The open question, above everything else. */
export function Confirmation() {
  const { url } = useLocation();
  const action = useAction();
  const asked = question.value;
  const close = () => {
    if (question.peek() === asked) question.value = undefined;
    action.reset();
  };
  useEffect(close, [url]);
  if (asked === undefined) return null;
  const run = () =>
    action.run(async () => {
      await asked.onConfirm();
      close();
    });
  return (
    <Dialog title={asked.title} onClose={close}>
      <div class="flex flex-col gap-4">
        <p class="wrap-anywhere">{asked.warning}</p>
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={close}>
            {t("common.cancel")}
          </button>
          <button type="button" class="btn btn-error" disabled={action.busy} onClick={run}>
            {asked.action ?? t("common.delete")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
