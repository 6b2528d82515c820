import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

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

/** `firm`: it shows something this once, so that a click beside it does not close it. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  firm?: boolean;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
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
      onClick={(e) => !props.firm && e.target === ref.current && ref.current?.close()}
      aria-labelledby="dialog-title"
    >
      <div class="modal-box panel max-w-lg">
        <h2 id="dialog-title" class="mb-4 text-lg font-semibold">
          {props.title}
        </h2>
        {props.children}
      </div>
    </dialog>
  );
}
