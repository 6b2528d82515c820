import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DiscardQuestion, useTypedWork } from "./form/typed-work.tsx";

/** Element that had the focus before the first open dialog. It gets the focus back when the last one closes. */
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

/** Protects input of a form: Escape asks before it closes the dialog, and a second Escape returns to the form. */
function useQuestion(ref: { readonly current: HTMLDialogElement | null }) {
  const { isUnsaved, handlers } = useTypedWork(ref);
  const [isAsking, setAsking] = useState(false);
  return {
    isAsking,
    keep: () => setAsking(false),
    /** Closes the dialog, or asks first. */
    leave: () => (isUnsaved() ? setAsking(true) : ref.current?.close()),
    handlers: {
      ...handlers,
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

/**
 * `firm`: the dialog shows something only once, so a click beside it does not close it. `wide`: its content is in columns; on a phone it fills the
 * screen like a page.
 */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  firm?: boolean;
  wide?: boolean;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const close = () => ref.current?.close();
  const typed = useQuestion(ref);
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
      <div
        class={`modal-box panel ${props.wide ? "max-w-4xl max-sm:h-dvh max-sm:max-h-none max-sm:w-screen max-sm:max-w-none max-sm:rounded-none" : "max-w-lg"}`}
      >
        <h2 id="dialog-title" class="mb-4 text-lg font-semibold">
          {props.title}
        </h2>
        {typed.isAsking && <DiscardQuestion onKeep={typed.keep} onDiscard={close} />}
        {props.children}
      </div>
    </dialog>
  );
}
