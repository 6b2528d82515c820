import { Zap } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { StartPauseButton } from "../../ui/start-pause-button.tsx";
import { type Job, schedulerApi } from "./scheduler-api.ts";

interface Props {
  readonly job: Job;
  readonly onChanged: () => void;
  /** Shows icons without text. */
  readonly small?: boolean;
}

export function JobButtons({ job, onChanged, small = false }: Props) {
  const { name, jobId, status } = job;
  const action = useAction();
  const runNow = () =>
    action.run(async () => {
      try {
        await schedulerApi.run(jobId);
        toast("success", t("jobs.begun", { name }));
      } catch (error) {
        toast("error", errorText(error));
      }
      onChanged();
    });
  const isActive = status === "active";
  const kind = small ? "btn btn-ghost btn-sm" : "btn btn-sm";
  return (
    <div class="flex flex-wrap gap-1">
      <button
        type="button"
        class={kind}
        disabled={action.busy}
        aria-label={small ? t("jobs.runNowOf", { name }) : undefined}
        title={t("jobs.runNow")}
        onClick={runNow}
      >
        <Zap size={16} aria-hidden="true" />
        {!small && t("jobs.runNow")}
      </button>
      <StartPauseButton
        isActive={isActive}
        text={t(isActive ? "common.pause" : "common.start")}
        iconLabel={small ? t(isActive ? "common.pauseName" : "common.startName", { name }) : undefined}
        class={kind}
        onPress={async () => {
          await (isActive ? schedulerApi.pause(jobId) : schedulerApi.start(jobId));
          return undefined;
        }}
        onChanged={onChanged}
      />
    </div>
  );
}
