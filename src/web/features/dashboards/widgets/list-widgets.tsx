import { CircleCheck } from "lucide-preact";
import { t } from "../../../platform/i18n/i18n.ts";
import { metadataOf } from "../../../platform/key-metadata.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { Age } from "../../../ui/state/age.tsx";
import { levelClass } from "../../../ui/state/severity-colors.ts";
import { StateDot } from "../../../ui/state/state-dot.tsx";
import { StateLamp } from "../../../ui/state/state-lamp.tsx";
import { SeverityWord } from "../../alarms/severity.tsx";
import { Drill } from "./drill.tsx";
import { MoreNote, useFittedRows } from "./fitted-rows.tsx";
import { keysOf, levelOf, newestOf, scrolling, sentMetadata, shown } from "./values.ts";
import type { WidgetProps } from "./widget.types.ts";

/** Max. devices whose tiles fill the widget. */
const FEW_DEVICES = 4;

export function StatusGridWidget(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const [key] = keysOf(widget);
  const fitted = useFittedRows<HTMLUListElement>(props.place === "wall", {
    selector: "li",
    count: feed.devices.length,
  });
  const devices = feed.devices.slice(0, fitted.shown);
  feed.roomFor = fitted.hiddenCount === 0 ? undefined : new Set(devices.map(({ deviceId }) => deviceId));
  const isFew = feed.devices.length <= FEW_DEVICES;
  return (
    <MoreNote count={fitted.hiddenCount}>
      <ul
        ref={fitted.host}
        {...scrolling}
        class={`grid h-full gap-2 widget-scroll ${isFew ? "auto-rows-fr [grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr))]" : "content-start [grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr))]"}`}
      >
        {devices.map(({ deviceId, name, state, alarmSeverity }) => {
          const { value } = key === undefined ? { value: undefined } : newestOf(props, deviceId, key);
          const metadata = key === undefined ? undefined : metadataOf(deviceId, key);
          const level = levelOf(widget, value, metadata);
          return (
            <li key={deviceId}>
              <Drill
                class="flex h-full flex-col justify-center gap-0.5 rounded-field border border-base-300 px-3 py-2 hover:border-primary"
                href={`/devices/${deviceId}`}
              >
                <span class="flex min-w-0 items-center gap-2">
                  <StateLamp state={state} severity={alarmSeverity} bare />
                  <span class="truncate text-sm font-medium">{name}</span>
                </span>
                {key !== undefined && (
                  <span
                    class={`reading flex items-center gap-1.5 truncate ${isFew ? "text-2xl font-medium" : ""} ${levelClass(level, "text")}`}
                  >
                    <StateDot value={value} metadata={metadata} />
                    {shown(widget, value, metadata)}
                  </span>
                )}
              </Drill>
            </li>
          );
        })}
      </ul>
    </MoreNote>
  );
}

export function DeviceTableWidget(props: WidgetProps) {
  const { widget, feed } = props;
  redrawOn(feed.version);
  const keys = keysOf(widget);
  const fitted = useFittedRows<HTMLElement>(props.place === "wall", {
    selector: "tbody tr",
    count: feed.devices.length,
  });
  return (
    <MoreNote count={fitted.hiddenCount}>
      <section
        ref={fitted.host}
        class="widget-scroll h-full overflow-x-auto"
        {...scrolling}
        aria-label={widget.name || t("widget.deviceTable")}
      >
        <table
          class={`table ${props.place === "wall" ? "table-xs" : "table-sm"} [&_:is(td,th)]:px-1.5 [&_tbody_:is(td,th)]:text-sm [&_thead_th]:text-xs`}
        >
          <thead class="text-soft">
            <tr>
              <th scope="col">{t("widget.device")}</th>
              {keys.map((key) => (
                <th key={key} scope="col" title={key}>
                  {sentMetadata(props, key)?.name ?? key}
                </th>
              ))}
              <th scope="col">{t("widget.newest")}</th>
            </tr>
          </thead>
          <tbody>
            {feed.devices.slice(0, fitted.shown).map(({ deviceId, name, state, alarmSeverity }) => (
              <tr key={deviceId}>
                <th scope="row" class="font-normal">
                  <span class="flex items-center gap-2">
                    <StateLamp state={state} severity={alarmSeverity} bare />
                    <Drill class="link link-hover whitespace-nowrap" href={`/devices/${deviceId}`}>
                      {name}
                    </Drill>
                  </span>
                </th>
                {keys.map((key) => (
                  <td key={key} class="reading whitespace-nowrap">
                    {shown(widget, newestOf(props, deviceId, key).value, metadataOf(deviceId, key))}
                  </td>
                ))}
                <td class="whitespace-nowrap text-soft">
                  <Age ts={props.latestOf(deviceId)?.ts || undefined} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </MoreNote>
  );
}

export function AlarmListWidget({ feed, place }: WidgetProps) {
  redrawOn(feed.version);
  const fitted = useFittedRows<HTMLUListElement>(place === "wall", {
    selector: "li",
    count: feed.alarms.length,
    contents: feed.alarms.map(({ alarmId, name, deviceName }) => `${alarmId} ${name} ${deviceName}`).join(),
  });
  if (feed.alarms.length === 0)
    return (
      <p class="flex items-center gap-2 text-soft">
        <CircleCheck size="1.2em" class="flex-none text-success" aria-hidden="true" />
        {t("widget.noAlarms")}
      </p>
    );
  return (
    <MoreNote count={fitted.hiddenCount}>
      <ul
        ref={fitted.host}
        {...scrolling}
        class="flex h-full flex-col divide-y divide-base-300/60 widget-scroll"
      >
        {feed.alarms.slice(0, fitted.shown).map((alarm) => (
          <li key={alarm.alarmId} class="py-1.5">
            <Drill
              class="flex flex-wrap items-baseline gap-x-3 hover:underline"
              href={`/alarms/${alarm.alarmId}`}
            >
              <SeverityWord severity={alarm.severity} />
              <span class="font-medium wrap-anywhere">{alarm.name}</span>
              <span class="text-sm text-soft wrap-anywhere">
                {alarm.deviceName} · <Age ts={alarm.raisedAt} />
              </span>
            </Drill>
          </li>
        ))}
      </ul>
    </MoreNote>
  );
}
