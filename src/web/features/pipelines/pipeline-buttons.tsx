import { t } from "../../platform/i18n/i18n.ts";
import { StartPauseButton } from "../../ui/start-pause-button.tsx";
import { type Pipeline, pipelinesApi } from "./pipelines-api.ts";

interface Props {
  readonly pipeline: Pipeline;
  readonly onChanged: () => void;
  /** True for only the icon. */
  readonly small?: boolean;
}

export function PipelineButtons({ pipeline, onChanged, small = false }: Props) {
  const { name, pipelineId, status } = pipeline;
  const isActive = status === "active";
  return (
    <StartPauseButton
      isActive={isActive}
      text={t(isActive ? "common.pause" : "common.start")}
      iconLabel={small ? t(isActive ? "common.pauseName" : "common.startName", { name }) : undefined}
      onPress={async () => {
        await (isActive ? pipelinesApi.pause(pipelineId) : pipelinesApi.start(pipelineId));
        return t(isActive ? "pipelines.paused" : "pipelines.started", { name });
      }}
      onChanged={onChanged}
    />
  );
}
