import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../platform/i18n/i18n.ts";
import { toast } from "../platform/toasts.ts";
import { Dialog } from "./dialog.tsx";
import { TextField } from "./form/text-field.tsx";
import { useAction } from "./form/use-form.ts";
import { ErrorNote } from "./page/error-note.tsx";

interface Question {
  readonly title: string;
  readonly warning: string;
  /** Text of the button; "Delete" by default. */
  readonly action?: string;
  /** True if nothing is lost. */
  readonly isHarmless?: boolean;
  /** Text that the user has to type first, with the label of its field. */
  readonly typed?: { readonly label: string; readonly text: string };
  /** The dialog closes afterwards, or stays open with the error if it fails. */
  readonly onConfirm: () => Promise<unknown>;
}

const question = signal<Question | undefined>(undefined);

/** Asks before an action that cannot be undone. */
export const ask = (asked: Question): void => {
  question.value = asked;
};

/** Asks before a deletion, and confirms it afterwards. */
export function confirmDelete(asked: {
  readonly name: string;
  /** "Delete <name>" by default. */
  readonly title?: string;
  readonly warning: string;
  /** Label of a field into which the user has to type the name first. */
  readonly typedLabel?: string;
  readonly onDelete: () => Promise<unknown>;
  readonly onDeleted: () => void;
}): void {
  const { name, title = t("common.deleteName", { name }), warning, typedLabel } = asked;
  const onConfirm = async () => {
    await asked.onDelete();
    toast("success", t("common.nameIsDeleted", { name }));
    asked.onDeleted();
  };
  ask({ title, warning, onConfirm, ...(typedLabel && { typed: { label: typedLabel, text: name } }) });
}

/** The open question, above everything else. */
export function Confirmation() {
  const { url } = useLocation();
  const action = useAction();
  const asked = question.value;
  const [entered, setEntered] = useState("");
  const close = () => {
    if (question.peek() === asked) question.value = undefined;
    action.reset();
    setEntered("");
  };
  useEffect(close, [url]);
  if (asked === undefined) return null;
  const run = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      await asked.onConfirm();
      close();
    });
  };
  return (
    <Dialog title={asked.title} onClose={close}>
      <form class="flex flex-col gap-4" onSubmit={run}>
        <p class="wrap-anywhere">{asked.warning}</p>
        {asked.typed && (
          <TextField
            label={asked.typed.label}
            autocomplete="off"
            autofocus
            value={entered}
            onText={setEntered}
          />
        )}
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={close}>
            {t("common.cancel")}
          </button>
          <button
            type="submit"
            class={`btn ${asked.isHarmless ? "btn-primary" : "btn-error"}`}
            disabled={action.busy || (asked.typed !== undefined && entered.trim() !== asked.typed.text)}
          >
            {asked.action ?? t("common.delete")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
