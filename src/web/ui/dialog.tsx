import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../platform/i18n/i18n.ts";

/** Element that had the focus before the first open dialog. It gets the focus back after the last one is closed. */
let opener: Element | null = null;

function rememberOpener(): void {
  const active = document.activeElement;
  if (active !== document.body && !active?.closest("dialog")) opener = active;
}

function returnFocus(): void {
  if (document.querySelector("dialog[open]")) return;
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  opener = null;
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches("form :is(input, textarea, select, [contenteditable])");

/** Keeps what was typed into a form: Escape asks before it closes the dialog, and a second Escape goes back to the form. */
function useTypedWork(ref: { readonly current: HTMLDialogElement | null }) {
  const state = useRef<"clean" | "typed" | "sent">("clean");
  const [isAsking, setAsking] = useState(false);
  /** A form that was sent and refused still holds what was typed. */
  const isUnsaved = () =>
    state.current === "typed" ||
    (state.current === "sent" && ref.current?.querySelector("form [role=alert]"));
  return {
    isAsking,
    keep: () => setAsking(false),
    /** Closes the dialog, or asks first. */
    leave: () => (isUnsaved() ? setAsking(true) : ref.current?.close()),
    handlers: {
      onInput: (e: Event) => {
        if (isField(e.target)) state.current = "typed";
      },
      onSubmit: () => {
        if (state.current === "typed") state.current = "sent";
      },
      onKeyDown: (e: KeyboardEvent) => {
        if (e.key !== "Escape" || e.defaultPrevented || !isUnsaved()) return;
        e.preventDefault(); // the browser would close the dialog
        setAsking((before) => !before);
      },
      // A gesture that goes back.
      onCancel: (e: Event) => {
        if (!isUnsaved()) return;
        e.preventDefault();
        setAsking(true);
      },
    },
  };
}

/** `firm`: it shows something this once, so that a click beside it does not close it. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  firm?: boolean;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const close = () => ref.current?.close();
  const typed = useTypedWork(ref);
  useEffect(() => {
    rememberOpener();
    ref.current?.showModal();
    return () => queueMicrotask(returnFocus); // once it is out of the page
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes every modal dialog by itself
    <dialog
      ref={ref}
      class="modal"
      onClose={props.onClose}
      onClick={(e) => !props.firm && e.target === ref.current && typed.leave()}
      aria-labelledby="dialog-title"
      {...typed.handlers}
    >
      <div class="modal-box panel max-w-lg">
        <h2 id="dialog-title" class="mb-4 text-lg font-semibold">
          {props.title}
        </h2>
        {typed.isAsking && <Discard onKeep={typed.keep} onDiscard={close} />}
        {props.children}
      </div>
    </dialog>
  );
}

function Discard({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  return (
    <div
      role="alertdialog"
      aria-labelledby="dialog-discard"
      class="panel sticky top-0 z-10 mb-4 flex flex-wrap items-center justify-between gap-3 border-l-4 border-l-warning p-3"
    >
      <p id="dialog-discard" class="font-medium">
        {t("dialog.discard")}
      </p>
      <div class="flex gap-2">
        <button type="button" class="btn btn-ghost btn-sm" onClick={onDiscard}>
          {t("dialog.discardYes")}
        </button>
        <button type="button" class="btn btn-primary btn-sm" ref={focus} onClick={onKeep}>
          {t("dialog.keepEditing")}
        </button>
      </div>
    </div>
  );
}

const focus = (button: HTMLElement | null): void => button?.focus();
