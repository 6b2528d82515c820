import { useEffect, useMemo, useState } from "preact/hooks";
import type { AlarmSeverity } from "../../../../lib/alarms/severity.ts";
import { exploreHref } from "../../../lib/explore-view.ts";
import { lineColor } from "../../../lib/line-colors.ts";
import { fittedTo, type TimeBounds } from "../../../lib/time-window.ts";
import { ZoomStack } from "../../../lib/zoom-stack.ts";
import { toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../../platform/key-metadata.ts";
import { useLive } from "../../../platform/live.ts";
import { now, serverNow } from "../../../platform/now.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { useResource } from "../../../platform/resource.ts";
import type { ChartEvent } from "../../../ui/chart/chart.types.ts";
import { ChartHost, type ChartLine } from "../../../ui/chart/chart-host.tsx";
import { useChartLink } from "../../../ui/chart/chart-link.ts";
import { themeColor } from "../../../ui/chart/line-style.ts";
import { ReadOut } from "../../../ui/chart/read-out.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { severityColor } from "../../../ui/state/severity-colors.ts";
import { DeviceSeries } from "../../telemetry/device-series.ts";
import { type Alarm, type AlarmEvent, alarmsApi, type ConditionPart, type RuleState } from "../alarms-api.ts";

const BEFORE_MS = 3_600_000;
const AFTER_MS = 1_800_000;
const POINTS_MAX = 2_000;
const HEIGHT = 260;
const KEYS_MAX = 4;

/** Returns the comparisons of a condition with values of the device. */
function comparisons(part: ConditionPart): ConditionPart[] {
  const inner = part.all ?? part.any ?? (part.not && [part.not]);
  if (inner !== undefined) return inner.flatMap(comparisons);
  return part.key === undefined || part.source === "attribute" ? [] : [part];
}

interface Watched {
  readonly keys: readonly string[];
  /** Limits by key, those of raising before those of clearing. */
  readonly limits: ReadonlyArray<{
    readonly key: string;
    readonly value: number;
    /** Severity of the alarm that the limit raises; null if it clears. */
    readonly severity: AlarmSeverity | null;
  }>;
}

function watchedBy(rule: RuleState | undefined): Watched {
  const parts = (rule?.triggers ?? []).flatMap(({ condition, severity }) =>
    comparisons(condition).map((part) => ({ part, severity })),
  );
  const keys = [...new Set(parts.flatMap(({ part }) => part.key ?? []))].slice(0, KEYS_MAX);
  const limits = parts.flatMap(({ part, severity }) => {
    const { key, against } = part;
    const values = Array.isArray(against) && part.op === "BETWEEN" ? against : [against];
    return values.flatMap((value) =>
      key !== undefined && typeof value === "number" ? [{ key, value, severity }] : [],
    );
  });
  return { keys, limits };
}

/** Values in the rule of an alarm, around the time of its raise, with the limits of the rule. */
export function AlarmCurve({ alarm, events }: { alarm: Alarm; events: readonly AlarmEvent[] }) {
  const { deviceId } = alarm;
  const rules = useResource(() => alarmsApi.explain(deviceId), [deviceId]);
  return (
    <Loaded of={rules}>
      {(all) => {
        const { keys, limits } = watchedBy(all.find(({ alarmType }) => alarmType === alarm.name));
        return keys.length > 0 && <Curve alarm={alarm} events={events} keys={keys} limits={limits} />;
      }}
    </Loaded>
  );
}

/** Loads the values around the raise of the alarm, and follows new ones. */
function useSeriesAround(alarm: Alarm, keys: readonly string[], window: TimeBounds | undefined) {
  const { deviceId } = alarm;
  const series = useMemo(() => new DeviceSeries(deviceId), [deviceId]);
  const raisedAt = toMs(alarm.raisedAt) ?? 0;
  redrawOn(now);
  const timeMs = serverNow();
  const from = raisedAt - BEFORE_MS;
  const to = Math.min((toMs(alarm.clearedAt) ?? timeMs) + AFTER_MS, Math.max(timeMs, raisedAt));
  useEffect(() => {
    const loaded = window ?? { from, to: alarm.clearedAt === undefined ? serverNow() : to };
    series.load({ keys, ...loaded, aggregation: "none", maxDataPoints: POINTS_MAX });
  }, [series, keys.join(), raisedAt, window]);
  useLive({ topics: ["telemetry"], deviceIds: [deviceId] }, (message) => {
    if (message.type === "snapshot") series.fillGap(serverNow());
    else if (message.topic === "telemetry") series.append(message);
  });
  redrawOn(series.version);
  const first = Math.min(...keys.map((key) => series.of(key).main.ts[0] ?? from));
  return { series, bounds: window ?? fittedTo({ from, to }, first, raisedAt) };
}

/** Returns the selected window and the previous ones; undefined for the window around the alarm. */
function useZoom() {
  const [zooms] = useState(() => new ZoomStack<TimeBounds | "alarm">());
  const [window, setWindow] = useState<TimeBounds | undefined>(undefined);
  const back = () => {
    const before = zooms.back(window ?? "alarm");
    setWindow(before === "alarm" ? undefined : before);
  };
  return {
    window,
    onReset: back,
    onWindow: (bounds: TimeBounds, isPan: boolean) => {
      zooms.leave(window ?? "alarm", bounds, { isPan });
      setWindow(bounds);
    },
  };
}

function Curve(props: Watched & { alarm: Alarm; events: readonly AlarmEvent[] }) {
  const { alarm, keys } = props;
  const { deviceId } = alarm;
  const zoom = useZoom();
  const { series, bounds } = useSeriesAround(alarm, keys, zoom.window);
  const link = useChartLink();
  const lines = keys.map(
    (key, index): ChartLine => ({
      name: keyName(deviceId, key),
      metadata: metadataOf(deviceId, key),
      buffer: series.of(key).main,
      color: lineColor(index, darkNow.value),
    }),
  );
  const colors = { raise: severityColor(alarm.severity), clear: themeColor("success") };
  const window = { mode: "absolute", from: bounds.from, to: Math.round(bounds.to) };
  return (
    <section class="panel flex min-w-0 flex-col gap-2 p-4" aria-labelledby="alarm-curve">
      <div class="flex flex-wrap items-center justify-between gap-3">
        <h2 id="alarm-curve" class="font-semibold">
          {t("alarms.curve")}
        </h2>
        <a
          class="link text-sm"
          href={exploreHref(
            keys.map((key) => ({ deviceId, key })),
            window,
          )}
        >
          {t("nav.explore")}
        </a>
      </div>
      <ul class="flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {lines.map((line, index) => (
          <li key={keys[index]} class="flex items-baseline gap-2">
            <ReadOut line={line} title={keys[index]!} link={link} bounds={bounds} />
          </li>
        ))}
      </ul>
      <ChartHost
        lines={lines}
        bounds={bounds}
        height={HEIGHT}
        limits={props.limits.map(({ key, value, severity }) => ({
          line: keys.indexOf(key),
          value,
          color: severity === null ? colors.clear : severityColor(severity),
          isInView: true,
        }))}
        events={eventsOf(props.events, colors)}
        label={t("data.chartOf", { keys: lines.map(({ name }) => name).join(", ") })}
        window={zoom}
        link={link}
      />
    </section>
  );
}

/** Returns the times of each raise and clearing. */
const eventsOf = (events: readonly AlarmEvent[], colors: { raise: string; clear: string }): ChartEvent[] =>
  events.flatMap(({ eventType, createdAt }) => {
    const ts = toMs(createdAt);
    if (ts === undefined) return [];
    if (eventType === "CREATED" || eventType === "REOPENED") return [{ ts, color: colors.raise }];
    return eventType === "CLEARED" ? [{ ts, color: colors.clear }] : [];
  });
