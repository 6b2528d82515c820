import { TriangleAlert } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { errorText } from "./error-text.ts";

/** An error with a retry button; nothing while `error` is `undefined`. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error === undefined) return null;
  return (
    <div role="alert" class="panel flex items-start gap-3 border-l-4 border-l-error p-4">
      <TriangleAlert size={20} class="mt-0.5 flex-none text-error" aria-hidden="true" />
      <p class="min-w-0 flex-1 break-words">{errorText(error)}</p>
      {onRetry && (
        <button type="button" class="btn btn-sm" onClick={onRetry}>
          {t("common.retry")}
        </button>
      )}
    </div>
  );
}
