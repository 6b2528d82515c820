import { TriangleAlert } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { serverText } from "../../../platform/i18n/error-texts.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { ownWindowOf, widgetBounds } from "../board/use-board-feed.ts";
import type { Widget } from "../dashboards-api.ts";
import { isKind, kindOf } from "../widgets/kinds.ts";
import { keysOf } from "../widgets/values.ts";
import type { WidgetProps } from "../widgets/widget.types.ts";

export function titleOf({ name, type }: Widget): string {
  if (name !== "") return name;
  if (type === "deviceTable") return t("widget.newestValues");
  return isKind(type) ? t(`widget.${type}`) : type;
}

/** Content of a widget, or the reason why it is empty. */
export function WidgetBody(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const kind = kindOf(widget.type);
  if (kind === undefined) return <Note>{t("widget.unknown", { type: widget.type })}</Note>;
  if (feed.errorText !== undefined) return <Note>{serverText(feed.errorText)}</Note>;
  const needsDevices = kind.parts.includes("devices") && widget.type !== "alarmList";
  if (needsDevices && feed.devices.length === 0) return <p class="text-soft">{t("widget.noDevices")}</p>;
  if (kind.needsKey && keysOf(widget).length === 0) return <p class="text-soft">{t("widget.selectKey")}</p>;
  const { View } = kind;
  return (
    <>
      <View
        {...props}
        boundsNow={() => widgetBounds(widget, feed, props.boundsNow)}
        // Zooming changes the window of the dashboard, which this widget does not follow.
        onWindow={ownWindowOf(widget) ? undefined : props.onWindow}
      />
      {feed.isCut && <p class="text-sm text-soft">{t("widget.cut")}</p>}
    </>
  );
}

function Note({ children }: { children: ComponentChildren }) {
  return (
    <p class="flex items-start gap-2 text-sm">
      <TriangleAlert size={16} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
      <span class="wrap-anywhere">{children}</span>
    </p>
  );
}
