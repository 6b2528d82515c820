import type { ComponentChildren } from "preact";

export function SubmitButton({ busy, children }: { busy: boolean; children: ComponentChildren }) {
  return (
    <button type="submit" class="btn btn-primary" disabled={busy}>
      {busy && <span class="loading loading-spinner loading-xs" aria-hidden="true" />}
      {children}
    </button>
  );
}
