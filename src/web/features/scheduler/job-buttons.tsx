import { Pause, Play, Zap } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Job, schedulerApi } from "./scheduler-api.ts";

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
  /** Icons alone. */
  readonly small?: boolean;
}

/** Run now, and start or pause. */
export function JobButtons({ job, onChanged, small = false }: Props) {
  const { name, jobId, status } = job;
  const action = useAction();
  const run = (work: () => Promise<unknown>, done?: string) =>
    action.run(async () => {
      try {
        await work();
        if (done !== undefined) toast("success", done);
      } catch (error) {
        toast("error", errorText(error));
      }
      onChanged();
    });
  const isActive = status === "active";
  const Icon = isActive ? Pause : Play;
  const kind = small ? "btn btn-ghost btn-sm" : "btn btn-sm";
  return (
    <div class="flex flex-wrap gap-1">
      <Button
        icon={Zap}
        class={kind}
        disabled={action.busy}
        aria-label={small ? t("jobs.runNowOf", { name }) : undefined}
        title={t("jobs.runNow")}
        onClick={() => run(() => schedulerApi.run(jobId), t("jobs.begun", { name }))}
      >
        {!small && t("jobs.runNow")}
      </Button>
      <Button
        icon={Icon}
        class={kind}
        disabled={action.busy}
        aria-label={small ? t(isActive ? "jobs.pauseOf" : "jobs.startOf", { name }) : undefined}
        title={t(isActive ? "jobs.pause" : "jobs.start")}
        onClick={() => run(() => (isActive ? schedulerApi.pause(jobId) : schedulerApi.start(jobId)))}
      >
        {!small && t(isActive ? "jobs.pause" : "jobs.start")}
      </Button>
    </div>
  );
}
