import { Clock } from "lucide-preact";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { askReadiness } from "../../platform/readiness.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useAction } from "../../ui/use-form.ts";
import { systemApi } from "./system-api.ts";

/** Shows both times while the clock is not set, and lets the reader confirm that of the system. */
export function ClockNote() {
  const clock = useResource(systemApi.clock, []);
  const action = useAction();
  const accept = () =>
    action.run(async () => {
      await systemApi.confirmClock();
      await askReadiness();
      toast("success", t("system.clockConfirmed"));
    });
  const time = (iso: string) => formatDate(toMs(iso) ?? 0, "zoned");
  return (
    <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
      <Loaded of={clock}>
        {(times) => (
          <>
            <p class="text-sm">
              {t("system.clockTimes", { time: time(times.time), system: time(times.systemTime) })}
            </p>
            <Button icon={Clock} size={14} disabled={action.busy} onClick={accept}>
              {t("system.confirmClock")}
            </Button>
          </>
        )}
      </Loaded>
      <ErrorNote error={action.error} />
    </div>
  );
}
