import type { ComponentChildren, Ref } from "preact";
import { t } from "../../platform/i18n/i18n.ts";
import { ErrorNote } from "../page/error-note.tsx";
import { Guarded } from "./leave-question.tsx";
import { SubmitButton } from "./submit-button.tsx";

interface Props {
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly busy: boolean;
  readonly error?: unknown;
  /** "Save" by default. */
  readonly submitText?: string;
  /** True if nothing can be submitted: there are no buttons. */
  readonly isFixed?: boolean;
  /** Content at the other end of the row of buttons, such as a test of the input. */
  readonly start?: ComponentChildren;
  /** Buttons before the submit button. */
  readonly buttons?: ComponentChildren;
  readonly formRef?: Ref<HTMLFormElement>;
  readonly children: ComponentChildren;
}

/** Form within a page: content, error, and a row of buttons; the last button submits. Asks before unsaved input is lost. */
export function SectionForm(props: Props) {
  const { busy, error, submitText, isFixed = false, start, buttons, formRef } = props;
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    props.onSubmit(e.currentTarget);
  };
  return (
    <Guarded>
      <form class="flex flex-col gap-4" onSubmit={submit} ref={formRef ?? null}>
        {props.children}
        <ErrorNote error={error} />
        {!isFixed && (
          <div class="flex flex-wrap items-start justify-between gap-3">
            {start}
            <div class="ml-auto flex flex-wrap justify-end gap-2">
              {buttons}
              <SubmitButton busy={busy}>{submitText ?? t("common.save")}</SubmitButton>
            </div>
          </div>
        )}
      </form>
    </Guarded>
  );
}
