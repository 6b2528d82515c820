import { Pause, Play } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Pipeline, pipelinesApi } from "./pipelines-api.ts";

interface Props {
  readonly pipeline: Pipeline;
  readonly onChanged: () => void;
  /** The icon alone. */
  readonly small?: boolean;
}

/** Start or pause. */
export function PipelineButtons({ pipeline, onChanged, small = false }: Props) {
  const { name, pipelineId, status } = pipeline;
  const action = useAction();
  const isActive = status === "active";
  const Icon = isActive ? Pause : Play;
  const toggle = () =>
    action.run(async () => {
      try {
        await (isActive ? pipelinesApi.pause(pipelineId) : pipelinesApi.start(pipelineId));
        toast("success", t(isActive ? "pipelines.paused" : "pipelines.started", { name }));
      } catch (error) {
        toast("error", errorText(error));
      }
      onChanged();
    });
  return (
    <Button
      icon={Icon}
      class={small ? "btn btn-ghost btn-sm" : `btn btn-sm ${isActive ? "" : "btn-primary"}`}
      disabled={action.busy}
      aria-label={small ? t(isActive ? "pipelines.pauseOf" : "pipelines.startOf", { name }) : undefined}
      title={t(isActive ? "pipelines.pause" : "pipelines.start")}
      onClick={toggle}
    >
      {!small && t(isActive ? "pipelines.pause" : "pipelines.start")}
    </Button>
  );
}
