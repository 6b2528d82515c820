import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { ErrorNote } from "../page/error-note.tsx";
import { PageHead } from "../page/page-head.tsx";
import { Trail, type TrailStep } from "../page/trail.tsx";
import { useLeaveQuestion } from "./leave-question.tsx";
import { SubmitButton } from "./submit-button.tsx";
import { useTypedWork } from "./typed-work.tsx";

interface Props {
  readonly title: string;
  /** Page that the form belongs to, and the target of the link above it. */
  readonly back: { readonly href: string; readonly text: string };
  /** Pages that contain `back`. */
  readonly above?: readonly TrailStep[];
  /** Target of the Cancel button, if it is another page. */
  readonly cancelHref?: string;
  /** True for a page within a page, which has a title of its own. */
  readonly isNested?: boolean;
  /** Content in place of the link and the title. */
  readonly head?: ComponentChildren;
  readonly submitText: string;
  readonly onSubmit: (form: HTMLFormElement) => void;
  readonly busy: boolean;
  readonly error?: unknown;
  /** True if the form is read-only for the user. */
  readonly isFixed?: boolean;
  /** True if the form holds unsaved changes that were not typed, such as an added step. */
  readonly isChanged?: boolean;
  /** Content beside the form, below it on narrow windows. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Form with its own page. Its buttons stay in view, and it asks before unsaved input is lost. */
export function FormPage(props: Props) {
  const { back, above = [], busy, error, isFixed = false, aside } = props;
  const ref = useRef<HTMLDivElement>(null);
  const { isUnsaved, discard, handlers } = useTypedWork(ref);
  const changed = useRef(false);
  changed.current = props.isChanged === true && !busy;
  const question = useLeaveQuestion(
    () => changed.current || isUnsaved(),
    () => {
      changed.current = false;
      discard();
    },
  );
  useLayoutEffect(() => {
    // Toasts stand above the bar.
    document.body.classList.toggle("has-form-bar", !isFixed);
    return () => document.body.classList.remove("has-form-bar");
  }, [isFixed]);
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    props.onSubmit(e.currentTarget);
  };
  return (
    <div ref={ref} class="flex flex-col gap-5" {...handlers}>
      {question}
      {props.head ?? (
        <div class={props.isNested ? "" : "flex flex-col gap-5"}>
          <Trail steps={[...above, back]} />
          {props.isNested ? (
            <h2 class="text-lg font-semibold wrap-anywhere">{props.title}</h2>
          ) : (
            <PageHead title={props.title} />
          )}
        </div>
      )}
      <form
        class={`grid items-start gap-5 ${aside === undefined ? "max-w-3xl" : "lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]"}`}
        onSubmit={submit}
      >
        <fieldset class="flex min-w-0 flex-col gap-5" disabled={isFixed}>
          {props.children}
          <ErrorNote error={error} />
        </fieldset>
        {aside !== undefined && <div class="lg:sticky lg:top-8">{aside}</div>}
        {!isFixed && (
          <div class="sticky bottom-0 z-10 -mx-4 flex justify-end gap-2 border-t border-base-300 bg-base-200 px-4 py-3 lg:col-span-full lg:mx-0 lg:px-0">
            <a class="btn btn-ghost" href={props.cancelHref ?? back.href}>
              {t("common.cancel")}
            </a>
            <SubmitButton busy={busy}>{props.submitText}</SubmitButton>
          </div>
        )}
      </form>
    </div>
  );
}
