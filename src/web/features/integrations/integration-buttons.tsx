import { t } from "../../platform/i18n/i18n.ts";
import { StartPauseButton } from "../../ui/start-pause-button.tsx";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { startedText } from "./networks.ts";

interface Props {
  readonly integration: Integration;
  readonly onChanged: () => void;
  /** True for only the icon. */
  readonly small?: boolean;
}

export function IntegrationButtons({ integration, onChanged, small = false }: Props) {
  const { name, integrationId, status } = integration;
  const isOn = status === "active" || status === "error";
  return (
    <StartPauseButton
      isActive={isOn}
      text={t(isOn ? "common.pause" : "common.start")}
      iconLabel={small ? t(isOn ? "common.pauseName" : "common.startName", { name }) : undefined}
      onPress={async () => {
        if (!isOn) return startedText(await integrationsApi.start(integrationId));
        await integrationsApi.pause(integrationId);
        return t("integrations.paused", { name });
      }}
      onChanged={onChanged}
    />
  );
}
