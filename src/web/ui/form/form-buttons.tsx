import type { ComponentChildren } from "preact";
import { t } from "../../platform/i18n/i18n.ts";
import { ErrorNote } from "../page/error-note.tsx";
import { SubmitButton } from "./submit-button.tsx";

/** End of a form in a dialog: the error, a button that closes, and one that submits. The buttons of a tall form stay in view. */
export function FormButtons(props: {
  busy: boolean;
  error?: unknown;
  onCancel: () => void;
  children: ComponentChildren;
}) {
  return (
    <>
      <ErrorNote error={props.error} />
      <div class="form-buttons mt-2 flex justify-end gap-2">
        <button type="button" class="btn btn-ghost" onClick={props.onCancel}>
          {t("common.cancel")}
        </button>
        <SubmitButton busy={props.busy}>{props.children}</SubmitButton>
      </div>
    </>
  );
}
