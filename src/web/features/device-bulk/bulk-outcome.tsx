import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatCount } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import type { BulkProgress } from "./bulk-run.ts";

/** Max. listed failures. The others are only counted. */
const FAILURES_SHOWN = 100;

export function BulkProgressBar({ progress }: { progress: BulkProgress }) {
  const { done, total } = progress;
  const text = t("bulk.progress", { done: formatCount(done), total: formatCount(total) });
  return (
    <div class="flex flex-col gap-2">
      <p role="status">{text}</p>
      <progress class="progress progress-primary w-full" value={done} max={total} aria-label={text} />
    </div>
  );
}

/** Number of devices for which the action succeeded, and the reason for each failure. */
export function BulkOutcome({
  progress,
  nameOf,
}: {
  progress: BulkProgress;
  nameOf: (deviceId: string) => string;
}) {
  const { total, done, succeeded, failed, error } = progress;
  const more = failed.length - FAILURES_SHOWN;
  return (
    <div class="flex flex-col gap-3" data-testid="bulk-outcome">
      <div role="status">
        <p class="font-medium">{plural("bulk.succeeded", succeeded)}</p>
        {failed.length > 0 && <p class="text-error">{plural("bulk.failed", failed.length)}</p>}
        {done < total && <p>{plural("bulk.notDone", total - done)}</p>}
      </div>
      <ErrorNote error={error} />
      {failed.length > 0 && (
        <ul
          class="max-h-64 divide-y divide-base-300/60 overflow-y-auto rounded-field border border-base-300"
          aria-label={t("bulk.failures")}
        >
          {failed.slice(0, FAILURES_SHOWN).map((failure) => (
            <li key={failure.deviceId} class="px-3 py-2 text-sm">
              <span class="block font-medium wrap-anywhere">{nameOf(failure.deviceId)}</span>
              <span class="block text-soft">{serverText(failure, failure.error)}</span>
            </li>
          ))}
          {more > 0 && <li class="px-3 py-2 text-sm text-soft">{t("common.countMore", { count: more })}</li>}
        </ul>
      )}
    </div>
  );
}
