import { useRef } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";

const FIELDS = "form :is(input, textarea, select, [contenteditable])";

/** Detects unsaved input in a form within the element. */
export function useTypedWork(ref: { readonly current: HTMLElement | null }) {
  const state = useRef<"clean" | "typed" | "sent">("clean");
  /** A dialog within a page has a form of its own. */
  const isOwn = ({ target }: Event): boolean =>
    target instanceof Element && target.closest("dialog") === ref.current?.closest("dialog");
  return {
    /** A form that was submitted and refused still holds the input. */
    isUnsaved: () =>
      state.current === "typed" ||
      (state.current === "sent" && ref.current?.querySelector("form [role=alert]") != null),
    discard: () => {
      state.current = "clean";
    },
    handlers: {
      onInput: (e: Event) => {
        if (isOwn(e) && e.target instanceof Element && e.target.matches(FIELDS)) state.current = "typed";
      },
      onSubmit: (e: Event) => {
        if (isOwn(e) && state.current === "typed") state.current = "sent";
      },
    },
  };
}

/** Asks whether to discard unsaved input. */
export function DiscardQuestion({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  return (
    <div
      role="alertdialog"
      aria-labelledby="discard-question"
      class="panel sticky top-0 z-10 mb-4 flex flex-wrap items-center justify-between gap-3 border-l-4 border-l-warning p-3 shadow-md"
    >
      <p id="discard-question" class="font-medium">
        {t("dialog.discard")}
      </p>
      <div class="flex gap-2">
        <button type="button" class="btn btn-ghost btn-sm" onClick={onDiscard}>
          {t("common.discardChanges")}
        </button>
        <button type="button" class="btn btn-primary btn-sm" ref={focus} onClick={onKeep}>
          {t("dialog.keepEditing")}
        </button>
      </div>
    </div>
  );
}

const focus = (button: HTMLElement | null): void => button?.focus();
