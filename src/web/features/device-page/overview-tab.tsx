import { Plug } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DeviceDetail, LatestSnapshot, TelemetryValue } from "../../lib/api-types.ts";
import { sparkPath, toNumber } from "../../lib/chart-data.ts";
import { SeriesBuffer, thinningOf } from "../../lib/series-buffer.ts";
import { oncePerFrame } from "../../platform/coalesce.ts";
import { formatDate, formatValue, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { serverNow } from "../../platform/now.ts";
import { useResource } from "../../platform/resource.ts";
import { Age } from "../../ui/age.tsx";
import { EmptyPanel } from "../../ui/empty-panel.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { OpenAlarms } from "../alarms/open-alarms.tsx";
import { nameOf } from "../devices/device-names.ts";
import type { DeviceTabProps } from "../devices/device-tab.types.ts";
import { telemetryApi } from "../telemetry/telemetry-api.ts";

const SPARK_MS = 15 * 60_000;
const SPARK_POINTS = 120;

class LatestValues {
  /** Key → its newest value and when it is from. */
  readonly values = new Map<string, { ts: number; value: TelemetryValue }>();
  /** Key → the last quarter of an hour, for the small curve. */
  readonly recent = new Map<string, SeriesBuffer>();

  take(snapshot: {
    ts: number;
    values: Record<string, TelemetryValue>;
    timestamps?: Record<string, number>;
  }): void {
    for (const [key, value] of Object.entries(snapshot.values)) {
      const ts = snapshot.timestamps?.[key] ?? snapshot.ts;
      const existing = this.values.get(key);
      if (!existing || existing.ts <= ts) this.values.set(key, { ts, value });
      this.buffer(key).add(ts, value);
    }
  }

  buffer(key: string): SeriesBuffer {
    const buffer = this.recent.get(key) ?? new SeriesBuffer();
    this.recent.set(key, buffer);
    return buffer;
  }
}

export function OverviewTab({ device }: DeviceTabProps) {
  const latest = useRef(new LatestValues()).current;
  const [version, setVersion] = useState(0);
  const changed = useMemo(() => oncePerFrame(() => setVersion((v) => v + 1)), []);
  const first = useResource(() => telemetryApi.latest(device.deviceId), [device.deviceId]);
  useEffect(() => {
    if (!first.data) return;
    latest.take(first.data);
    changed();
    loadRecent(device.deviceId, first.data, latest).then(changed, () => undefined);
  }, [first.data]);
  useLive({ topics: ["telemetry"], deviceIds: [device.deviceId] }, (message) => {
    if (message.type === "snapshot") for (const s of message.telemetry ?? []) latest.take(s);
    else if (message.topic === "telemetry") latest.take(message);
    changed();
  });
  const keys = [...latest.values.keys()].sort();
  return (
    <div class="flex flex-col gap-5">
      {first.error !== undefined && <ErrorNote error={first.error} onRetry={first.reload} />}
      {first.data && keys.length === 0 && <NoData deviceId={device.deviceId} />}
      {keys.length > 0 && <OpenAlarms deviceId={device.deviceId} />}
      <div class="grid grid-cols-2 gap-3 lg:grid-cols-3 lg:gap-4 3xl:grid-cols-5">
        {keys.map((key) => (
          <ValueCard key={key} name={key} deviceId={device.deviceId} latest={latest} version={version} />
        ))}
      </div>
      <Facts device={device} />
    </div>
  );
}

async function loadRecent(deviceId: string, snapshot: LatestSnapshot, latest: LatestValues): Promise<void> {
  const keys = Object.keys(snapshot.values);
  if (keys.length === 0) return;
  const to = serverNow();
  const series = await telemetryApi.range(deviceId, {
    from: to - SPARK_MS,
    to,
    keys,
    aggregation: "none",
    maxDataPoints: SPARK_POINTS,
  });
  for (const { key, points } of series) {
    latest.buffer(key).addAll(points);
    latest.buffer(key).thinned = thinningOf(points.length, { from: to - SPARK_MS, to }, SPARK_POINTS);
  }
}

function NoData({ deviceId }: { deviceId: string }) {
  return (
    <EmptyPanel icon={Plug} title={t("device.noData")} hint={t("device.noDataHint")}>
      <a class="btn btn-primary" href={`/devices/${deviceId}/connect`}>
        {t("device.connectIt")}
      </a>
    </EmptyPanel>
  );
}

interface CardProps {
  readonly name: string;
  readonly deviceId: string;
  readonly latest: LatestValues;
  /** Rises with every message; `latest` itself stays the same object. */
  readonly version: number;
}

function ValueCard({ name, deviceId, latest }: CardProps) {
  const entry = latest.values.get(name);
  if (!entry) return null;
  const text = formatValue(entry.value);
  return (
    <a
      class="panel flex min-w-0 flex-col gap-1 p-4 hover:border-primary"
      href={`/devices/${deviceId}/data?keys=${encodeURIComponent(name)}`}
    >
      <span class="truncate text-sm font-medium text-soft">{name}</span>
      <span
        class={`reading font-medium ${text.length > 9 ? "line-clamp-2 text-lg break-words" : "text-2xl sm:text-3xl"}`}
      >
        {text}
      </span>
      <span class="flex min-h-10 flex-wrap items-end justify-between gap-x-3">
        <span class="flex-none text-sm text-soft">
          <Age ts={entry.ts} />
        </span>
        <Spark buffer={latest.buffer(name)} />
      </span>
    </a>
  );
}

function Spark({ buffer }: { buffer: SeriesBuffer }) {
  const from = serverNow() - SPARK_MS;
  const points: { ts: number; value: number }[] = [];
  for (let i = buffer.indexOf(from); i < buffer.ts.length; i++) {
    const value = toNumber(buffer.values[i]!);
    if (value !== null) points.push({ ts: buffer.ts[i]!, value });
  }
  const path = sparkPath(points, { width: 120, height: 36 }, buffer.thinned);
  if (!path) return null;
  return (
    <svg
      viewBox="0 0 120 36"
      preserveAspectRatio="none"
      class="h-9 w-full overflow-visible text-primary sm:w-32"
      aria-hidden="true"
    >
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}

function Facts({ device }: { device: DeviceDetail }) {
  const connected = toMs(device.lastConnectedAt);
  const created = toMs(device.createdAt);
  const facts: [string, string][] = [
    [t("device.type"), device.deviceType ?? "–"],
    [t("device.role"), device.role === "GATEWAY" ? t("device.gateway") : t("device.plain")],
    [t("device.lastConnected"), connected ? formatDate(connected, "zoned") : t("age.never")],
    [t("device.created"), created ? formatDate(created, "zoned") : "–"],
    [t("device.id"), device.deviceId],
  ];
  return (
    <dl class="panel grid gap-x-6 gap-y-3 p-4 sm:grid-cols-2 lg:grid-cols-3">
      {facts.map(([label, value]) => (
        <div key={label} class="min-w-0">
          <dt class="panel-label">{label}</dt>
          <dd class="text-sm break-words">{value}</dd>
        </div>
      ))}
      {device.parentDeviceId && (
        <div class="min-w-0">
          <dt class="panel-label">{t("child.gateway")}</dt>
          <dd class="text-sm break-words">
            <a class="link" href={`/devices/${device.parentDeviceId}/children`}>
              {nameOf(device.parentDeviceId)}
            </a>
            {device.childName && device.childName !== device.name && (
              <span class="reading text-soft"> {device.childName}</span>
            )}
          </dd>
        </div>
      )}
      {(device.tags?.length ?? 0) > 0 && (
        <div>
          <dt class="panel-label">{t("device.tags")}</dt>
          <dd class="flex flex-wrap gap-1">
            {device.tags?.map((tag) => (
              <span key={tag} class="badge badge-sm border-base-300 bg-base-200">
                {tag}
              </span>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
