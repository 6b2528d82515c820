import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { AlarmSeverity } from "../../../../lib/severity.ts";
import { alignColumns, statsOf } from "../../../lib/chart-data.ts";
import { exploreHref } from "../../../lib/explore-view.ts";
import { lineColor } from "../../../lib/line-colors.ts";
import { scaleGroups } from "../../../lib/scale-groups.ts";
import { formatReading, toMs } from "../../../platform/i18n/format.ts";
import { t } from "../../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../../platform/key-metadata.ts";
import { useLive } from "../../../platform/live.ts";
import { now, serverNow } from "../../../platform/now.ts";
import { darkNow } from "../../../platform/preferences.ts";
import { useResource } from "../../../platform/resource.ts";
import type { ChartEvent } from "../../../ui/chart/chart.types.ts";
import { ChartStack } from "../../../ui/chart/chart-stack.tsx";
import { lineStyle, themeColor } from "../../../ui/chart/line-style.ts";
import { SampleTime } from "../../../ui/chart/sample-time.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { severityColor } from "../../../ui/severity-colors.ts";
import { DeviceSeries } from "../../telemetry/device-series.ts";
import { type Alarm, type AlarmEvent, alarmsApi, type ConditionPart, type RuleState } from "../alarms-api.ts";

const BEFORE_MS = 3_600_000;
/** Shown at least before the alarm, even if the device has sent nothing for so long. */
const BEFORE_MS_MIN = 120_000;
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
  /** Limits by key, raising ones before clearing ones. */
  readonly limits: ReadonlyArray<{
    readonly key: string;
    readonly value: number;
    /** Of the alarm that the limit raises; null if it clears. */
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

/** The values that the rule of an alarm looks at, around the time at which it was raised, with the limits of the rule. */
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

/** Loads the values around the time at which the alarm was raised, and follows new ones. */
function useSeriesAround(alarm: Alarm, keys: readonly string[]) {
  const { deviceId } = alarm;
  const series = useMemo(() => new DeviceSeries(deviceId), [deviceId]);
  const raisedAt = toMs(alarm.raisedAt) ?? 0;
  void now.value;
  const timeMs = serverNow();
  const loadedFrom = raisedAt - BEFORE_MS;
  const to = Math.min((toMs(alarm.clearedAt) ?? timeMs) + AFTER_MS, Math.max(timeMs, raisedAt));
  useEffect(() => {
    series.load({ keys, from: loadedFrom, to: serverNow(), aggregation: "none", maxDataPoints: POINTS_MAX });
  }, [series, keys.join(), raisedAt]);
  useLive({ topics: ["telemetry"], deviceIds: [deviceId] }, (message) => {
    if (message.type === "snapshot") series.fillGap(serverNow());
    else if (message.topic === "telemetry") series.append(message);
  });
  void series.version.value;
  // A device that began to send a little before the alarm has no empty hour before its values.
  const first = Math.min(...keys.map((key) => series.of(key).main.ts[0] ?? loadedFrom));
  const from = Math.max(loadedFrom, Math.min(first, raisedAt - BEFORE_MS_MIN));
  return { series, bounds: { from, to } };
}

function Curve(props: Watched & { alarm: Alarm; events: readonly AlarmEvent[] }) {
  const { alarm, keys } = props;
  const { deviceId } = alarm;
  const { series, bounds } = useSeriesAround(alarm, keys);
  const cursor = useSignal<number | undefined>(undefined);
  const dark = darkNow.value;
  const buffers = keys.map((key) => series.of(key).main);
  const scales = scaleGroups(
    buffers.map((buffer) => statsOf(buffer, bounds)),
    keys.map((key) => metadataOf(deviceId, key)?.unit),
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
      <Legend deviceId={deviceId} keys={keys} series={series} bounds={bounds} cursor={cursor} />
      <ChartStack
        columns={alignColumns(buffers, bounds)}
        sources={buffers}
        banded={false}
        bounds={bounds}
        height={HEIGHT}
        series={keys.map((key, index) => ({
          key,
          color: lineColor(index, dark),
          ...lineStyle(metadataOf(deviceId, key), series.of(key).main.values[0]),
          scale: scales[index] ?? 0,
        }))}
        limits={props.limits.map(({ key, value, severity }) => ({
          value,
          color: severity === null ? colors.clear : severityColor(severity),
          scale: scales[keys.indexOf(key)] ?? 0,
          isInView: true,
        }))}
        events={eventsOf(props.events, colors)}
        label={t("data.chartOf", { keys: keys.map((key) => keyName(deviceId, key)).join(", ") })}
        onZoom={() => undefined}
        onReset={() => undefined}
        onCursor={(ts) => {
          cursor.value = ts;
        }}
      />
    </section>
  );
}

function Legend(props: {
  deviceId: string;
  keys: readonly string[];
  series: DeviceSeries;
  bounds: { from: number; to: number };
  cursor: Signal<number | undefined>;
}) {
  const { deviceId, series } = props;
  const pointed = props.cursor.value;
  return (
    <ul class="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {props.keys.map((key, index) => {
        const { main } = series.of(key);
        const value = main.values[main.heldAt(pointed ?? Number.POSITIVE_INFINITY)];
        return (
          <li key={key} class="flex items-baseline gap-2">
            <span
              class="h-0.5 w-3 flex-none self-center"
              style={{ background: lineColor(index, darkNow.value) }}
              aria-hidden="true"
            />
            <span class="text-soft" title={key}>
              {keyName(deviceId, key)}
            </span>
            <span class="reading font-medium">{formatReading(value, metadataOf(deviceId, key))}</span>
            <SampleTime buffer={main} pointed={pointed} bounds={props.bounds} />
          </li>
        );
      })}
    </ul>
  );
}

/** When it was raised and cleared, each time. */
const eventsOf = (events: readonly AlarmEvent[], colors: { raise: string; clear: string }): ChartEvent[] =>
  events.flatMap(({ eventType, createdAt }) => {
    const ts = toMs(createdAt);
    if (ts === undefined) return [];
    if (eventType === "CREATED" || eventType === "REOPENED") return [{ ts, color: colors.raise }];
    return eventType === "CLEARED" ? [{ ts, color: colors.clear }] : [];
  });
