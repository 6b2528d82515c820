import { RotateCcw, SkipForward } from "lucide-preact";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatCount, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { StartPauseButton } from "../../ui/start-pause-button.tsx";
import { Age } from "../../ui/state/age.tsx";
import { type Uplink, uplinksApi } from "./uplinks-api.ts";

const REFRESH_MS = 2_000;

interface Props {
  readonly uplink: Uplink;
  readonly onChanged: (uplink: Uplink) => void;
}

export function UplinkStateText({ uplink }: { uplink: Uplink }) {
  const { state } = uplink;
  const lamps: Partial<Record<Uplink["state"], string>> = {
    UP_TO_DATE: "lamp-on",
    SENDING: "lamp-on",
    CONNECTING: "lamp-wait",
    WAITING_FOR_MEMORY: "lamp-wait",
    OUTSIDE_WINDOW: "lamp-wait",
    ERROR: "lamp-bad",
  };
  return (
    <span class="flex items-center gap-2.5">
      <span class={`lamp ${lamps[state] ?? ""}`} aria-hidden="true" />
      {t(`uplinkState.${state}`)}
    </span>
  );
}

/** Progress of an uplink, and a remedy if it cannot continue. */
export function UplinkProgress({ uplink, onChanged }: Props) {
  const { uplinkId, errorText, isRefused, enabled } = uplink;
  const action = useAction();
  const resend = () =>
    ask({
      title: t("uplink.resendTitle"),
      warning: t("uplink.resendWarning"),
      onConfirm: async () => {
        onChanged(await uplinksApi.resend(uplinkId, { from: 0, to: Date.now() }));
        toast("success", t("uplink.resending"));
      },
    });
  useRefresh(
    () => void uplinksApi.get(uplinkId).then(onChanged, () => undefined), // an error is shown with the next response
    REFRESH_MS,
  );
  return (
    <section class="panel flex flex-col gap-4 p-4 sm:p-5" aria-label={t("uplink.progress")}>
      <div class="flex flex-wrap items-center justify-between gap-3">
        <UplinkStateText uplink={uplink} />
        {may("uplinks:write") && (
          <div class="flex flex-wrap gap-2">
            {isRefused && (
              <Button
                icon={SkipForward}
                class="btn btn-sm"
                disabled={action.busy}
                onClick={() => action.run(async () => onChanged(await uplinksApi.skip(uplinkId)))}
              >
                {t("uplink.skip")}
              </Button>
            )}
            <Button icon={RotateCcw} class="btn btn-sm" onClick={resend}>
              {t("uplink.resend")}
            </Button>
            <StartPauseButton
              isActive={enabled}
              text={t(enabled ? "uplink.pause" : "uplink.resume")}
              onPress={async () => {
                onChanged(await uplinksApi.update(uplinkId, { enabled: !enabled }));
                return undefined;
              }}
              onChanged={() => undefined}
            />
          </div>
        )}
      </div>
      <Figures uplink={uplink} />
      {errorText !== null && (
        <p role="alert" class="text-sm text-error wrap-anywhere">
          {serverText(errorText)}
        </p>
      )}
      <ErrorNote error={action.error} />
    </section>
  );
}

function lagText(seconds: number | null): string {
  if (seconds === null) return "–";
  return seconds < 1 ? t("uplink.noLag") : durationText(Math.round(seconds) * 1_000);
}

function Figures({ uplink }: { uplink: Uplink }) {
  const { lagSeconds, waitingPoints, sentPoints, lastSentAt } = uplink;
  const figures = [
    [t("uplink.lag"), lagText(lagSeconds)],
    [t("uplink.waiting"), waitingPoints === null ? "–" : formatCount(waitingPoints)],
    [t("uplink.sent"), formatCount(sentPoints)],
    [t("uplink.lastSent"), <Age ts={toMs(lastSentAt)} never={t("uplink.never")} />],
  ] as const;
  return (
    <dl class="grid grid-cols-2 gap-4 sm:grid-cols-4">
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt class="text-sm text-soft">{label}</dt>
          <dd class="reading">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
