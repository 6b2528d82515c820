import { ArrowRight } from "lucide-preact";
import type { DeviceRow } from "../../lib/api-types.ts";
import { type Stats, statsOf } from "../../lib/chart-data.ts";
import { dataHref } from "../../lib/data-href.ts";
import { t, textIfAny } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import { Spark } from "../telemetry/spark.tsx";
import { type LatestValues, useLatestValues } from "../telemetry/use-latest-values.ts";
import { formatReading, groupReadings } from "./readings.ts";

const RECENT = { spanMs: 24 * 3_600_000, pointsMax: 240 };

/** The newest readings of the gateway's own device, each with its last 24 hours. */
export function GatewayReadings({ device }: { device: DeviceRow }) {
  const { latest, version, first, curves } = useLatestValues(device.deviceId, RECENT);
  const groups = groupReadings([...latest.values.keys()]);
  const newest = Math.max(0, ...[...latest.values.values()].map(({ ts }) => ts));
  return (
    <div class="flex flex-col gap-5">
      <div class="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 class="font-semibold">{t("system.readings")}</h2>
        <p class="text-sm text-soft">
          {newest > 0 && <Age ts={newest} />}
          {newest > 0 && " · "}
          {t("system.lastDay")}
        </p>
        <a
          class="link link-hover inline-flex items-center gap-1 text-sm"
          href={`/devices/${device.deviceId}`}
        >
          {t("system.device", { name: device.name })}
          <ArrowRight size={14} aria-hidden="true" />
        </a>
      </div>
      <Loaded of={first}>
        {() => groups.length === 0 && <p class="text-soft">{t("system.noReadings")}</p>}
      </Loaded>
      <ErrorNote error={curves.error} onRetry={curves.reload} />
      {groups.map(({ id, keys }) => (
        <section key={id} class="flex flex-col gap-3" aria-labelledby={`readings-${id}`}>
          <h3 id={`readings-${id}`} class="panel-label">
            {t(`system.group.${id}`)}
          </h3>
          <div class="grid grid-cols-2 gap-3 lg:grid-cols-4 3xl:grid-cols-6">
            {keys.map((key) => (
              <Tile key={key} name={key} deviceId={device.deviceId} latest={latest} version={version} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

const nameOf = (key: string): string => textIfAny(`reading.${key}`) ?? key;

interface TileProps {
  readonly name: string;
  readonly deviceId: string;
  readonly latest: LatestValues;
  /** Increases with every message; `latest` itself stays the same object. */
  readonly version: number;
}

function Tile({ name, deviceId, latest }: TileProps) {
  const entry = latest.values.get(name);
  if (!entry) return null;
  const buffer = latest.buffer(name);
  const now = serverNow();
  const stats = statsOf(buffer, { from: now - RECENT.spanMs, to: now });
  const isNumber = typeof entry.value === "number";
  return (
    <a
      class="panel flex min-w-0 flex-col gap-1 p-3 hover:border-primary sm:p-4"
      href={dataHref(deviceId, name)}
    >
      <span class="text-sm font-medium text-soft">{nameOf(name)}</span>
      <span class="reading text-xl font-medium wrap-anywhere">{formatReading(name, entry.value)}</span>
      <span class="mt-auto flex min-h-9 flex-col justify-end gap-1">
        <Spark buffer={buffer} spanMs={RECENT.spanMs} class="w-full" />
        {isNumber && stats && stats.min < stats.max && (
          <span class="text-xs text-soft">{rangeText(name, stats)}</span>
        )}
      </span>
    </a>
  );
}

const rangeText = (key: string, { min, max }: Stats): string =>
  t("system.range", { min: formatReading(key, min), max: formatReading(key, max) });
