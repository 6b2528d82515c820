import type { TimeWindow } from "../../lib/time-window.ts";
import { formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";

/** Shows that the time window has no data, and links to one that has. */
export function EmptyWindow(props: {
  newest: number;
  width: number;
  onWindow: (window: TimeWindow) => void;
}) {
  const { newest, width } = props;
  const show = () =>
    props.onWindow({
      kind: "fixed",
      from: Math.round(newest - width * 0.9),
      to: Math.round(newest + width * 0.1),
    });
  return (
    <div class="panel flex flex-wrap items-center justify-between gap-4 p-6">
      <p class="text-soft">{t("data.emptyWindow")}</p>
      {newest > 0 && (
        <button type="button" class="btn btn-sm h-auto min-h-8 py-1 whitespace-normal" onClick={show}>
          {t("data.showNewest", { time: formatDate(newest, "zoned") })}
        </button>
      )}
    </div>
  );
}
