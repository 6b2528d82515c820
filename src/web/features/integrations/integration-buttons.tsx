import { Pause, Play } from "lucide-preact";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-note.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { startedText } from "./networks.ts";

interface Props {
  readonly integration: Integration;
  readonly onChanged: () => void;
  /** The icon alone. */
  readonly small?: boolean;
}

/** Start or pause. */
export function IntegrationButtons({ integration, onChanged, small = false }: Props) {
  const { name, integrationId, status } = integration;
  const action = useAction();
  const isOn = status === "active" || status === "error";
  const Icon = isOn ? Pause : Play;
  const toggle = () =>
    action.run(async () => {
      try {
        if (isOn) {
          await integrationsApi.pause(integrationId);
          toast("success", t("integrations.paused", { name }));
        } else toast("success", startedText(await integrationsApi.start(integrationId)));
      } catch (error) {
        toast("error", errorText(error));
      }
      onChanged();
    });
  return (
    <Button
      icon={Icon}
      class={small ? "btn btn-ghost btn-sm" : `btn btn-sm ${isOn ? "" : "btn-primary"}`}
      disabled={action.busy}
      aria-label={small ? t(isOn ? "integrations.pauseOf" : "integrations.startOf", { name }) : undefined}
      title={t(isOn ? "integrations.pause" : "integrations.start")}
      onClick={toggle}
    >
      {!small && t(isOn ? "integrations.pause" : "integrations.start")}
    </Button>
  );
}
