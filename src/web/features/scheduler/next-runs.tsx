import { useEffect, useState } from "preact/hooks";
import { isZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { zonedTime } from "./schedule-text.ts";
import { type JobSchedule, schedulerApi } from "./scheduler-api.ts";

const TYPING_PAUSE_MS = 250;
const SHOWN = 5;

interface NextRuns {
  readonly next?: readonly string[];
  readonly error?: unknown;
}

/** The next runs of a schedule as calculated by the gateway, requested after a short pause in typing. */
export function NextRuns({ schedule }: { schedule: JobSchedule }) {
  const [response, setResponse] = useState<NextRuns>({});
  const asked = JSON.stringify(schedule);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      schedulerApi.previewNext(schedule, SHOWN).then(
        (next) => current && setResponse({ next }),
        (error: unknown) => current && setResponse({ error }),
      );
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked]);
  const { next, error } = response;
  const zone = isZone(schedule.timezone) ? schedule.timezone : "UTC";
  return (
    <div class="flex flex-col gap-1" aria-live="polite" data-testid="next-runs">
      <span class="text-sm font-medium">{t("job.preview")}</span>
      {error !== undefined && (
        <p role="alert" class="text-sm text-error">
          {errorText(error)}
        </p>
      )}
      {next?.length === 0 && <p class="text-sm text-warning">{t("job.previewNone")}</p>}
      {next && next.length > 0 && (
        <ul class="text-sm">
          {next.map((time) => (
            <li key={time}>
              <time dateTime={time}>{zonedTime(time, zone)}</time>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
