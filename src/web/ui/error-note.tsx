import { TriangleAlert } from "lucide-preact";
import { ApiError } from "../platform/api-client.ts";
import { t } from "../platform/i18n/i18n.ts";
import { knownProblem, type Problem } from "../platform/i18n/server-messages.ts";

/** What went wrong, and what the person can do about it. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unexpected");
  const detail = error.message;
  const known = knownProblem(detail);
  if (known) return known.text;
  switch (error.status) {
    case 0:
      return t("error.unreachable");
    case 401:
      return t("error.signedOut");
    case 403:
      return t("error.forbidden");
    case 404:
      return t("error.notFound");
    case 413:
      return t("error.tooLarge");
    case 429:
      return t("error.tooMany", { seconds: error.retryAfterSeconds ?? 60 });
    case 503:
      return t("error.storage");
    case 400:
      return detail ? t("error.invalid", { detail }) : t("error.invalidPlain");
    case 409:
      return detail ? t("error.conflict", { detail }) : t("error.conflictPlain");
    default:
      return t("error.server", { status: error.status });
  }
}

/** What is wrong with one field, to be said there rather than below the form. */
export function fieldProblem(error: unknown): Problem | undefined {
  const known = error instanceof ApiError ? knownProblem(error.message) : undefined;
  return known?.field === undefined ? undefined : known;
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
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
