import { CircleCheck, TriangleAlert, X } from "lucide-preact";
import { t } from "../platform/i18n/i18n.ts";
import { dismiss, toasts } from "../platform/toasts.ts";
import { IconButton } from "../ui/icon-button.tsx";

export function Toasts() {
  return (
    <div class="toasts fixed inset-x-3 z-50 flex flex-col items-end gap-2" aria-live="polite">
      {toasts.value.map((toast) => (
        <div
          key={toast.id}
          class={`panel flex max-w-md items-start gap-3 border-l-4 px-4 py-3 shadow-lg ${
            toast.kind === "success" ? "border-l-success" : "border-l-error"
          }`}
        >
          {toast.kind === "success" ? (
            <CircleCheck size={18} class="mt-0.5 flex-none text-success" aria-hidden="true" />
          ) : (
            <TriangleAlert size={18} class="mt-0.5 flex-none text-error" aria-hidden="true" />
          )}
          <p class="min-w-0 break-words">{toast.text}</p>
          <IconButton
            icon={X}
            size={14}
            label={t("common.close")}
            class="btn btn-ghost btn-xs btn-square"
            onClick={() => dismiss(toast.id)}
          />
        </div>
      ))}
    </div>
  );
}
