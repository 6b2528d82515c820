import { DAY_MS } from "../../../lib/core/units.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { TelemetryValue } from "../../lib/api-types.ts";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import {
  type DurationBar,
  durationBars,
  type StateShare,
  sharesOf,
  totalDurations,
} from "../../lib/state-durations.ts";
import { formatDate, formatReading, formatShare, formatSpan } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { darkNow } from "../../platform/preferences.ts";
import { type StateAppearance, stateAppearances } from "../../ui/state/state-appearances.ts";

/** Share of an interval's width left free beside its bar. */
const GAP_SHARE = 0.08;
const BOX = { width: 1_000, height: 100 };

/** A key whose durations are shown. `metadata` names its states. */
export interface DurationSeries {
  readonly id: string;
  readonly name: string;
  readonly metadata: KeyMetadata | undefined;
  readonly buffer: SeriesBuffer;
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

const stateName = (value: TelemetryValue | undefined, metadata: KeyMetadata | undefined): string =>
  value === undefined ? t("durations.other") : formatReading(value, metadata);

/** Returns the durations of a point as text: `Running 40 min, Off 20 min`. */
export const durationsText = (point: TelemetryValue | undefined, metadata: KeyMetadata | undefined): string =>
  sharesOf(point)
    .map(({ value, ms }) => `${stateName(value, metadata)} ${formatSpan(ms)}`)
    .join(", ");

/** How long each key had each of its values: a stacked bar per interval, and the totals. */
export function StateDurations({ series, bounds }: { series: readonly DurationSeries[]; bounds: Bounds }) {
  return (
    <div class="flex h-full flex-col gap-4">
      {series.map((own) => (
        <Durations key={own.id} {...own} bounds={bounds} />
      ))}
    </div>
  );
}

function Durations({ name, metadata, buffer, bounds }: DurationSeries & { bounds: Bounds }) {
  const bars = durationBars(buffer, bounds.to);
  const totals = totalDurations(bars);
  const values = totals.flatMap(({ value }) => (value === undefined ? [] : [value]));
  const appearances = stateAppearances(values, [metadata], darkNow.value);
  const appearanceOf = ({ value }: StateShare): StateAppearance =>
    appearances.get(value ?? "") ?? { name: t("durations.other"), color: "var(--color-base-300)" };
  return (
    <section class="flex min-w-0 flex-1 flex-col gap-1.5" aria-label={t("durations.of", { name })}>
      <h3 class="text-sm font-medium">{name}</h3>
      {bars.length === 0 ? (
        <p class="text-sm text-soft">{t("durations.none")}</p>
      ) : (
        <>
          <Totals totals={totals} appearanceOf={appearanceOf} />
          <Bars bars={bars} bounds={bounds} appearanceOf={appearanceOf} />
        </>
      )}
    </section>
  );
}

interface PartProps {
  readonly appearanceOf: (share: StateShare) => StateAppearance;
}

function Totals({ totals, appearanceOf }: PartProps & { totals: readonly StateShare[] }) {
  const allMs = totals.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <ul class="flex flex-wrap gap-x-5 gap-y-1 text-sm">
      {totals.map((total) => {
        const { name, color } = appearanceOf(total);
        return (
          <li key={name} class="flex items-baseline gap-1.5">
            <span class="size-2.5 flex-none rounded-full" style={{ background: color }} aria-hidden="true" />
            <span class="text-soft">{name}</span>
            <span class="reading font-medium">{formatSpan(total.ms)}</span>
            <span class="reading text-soft">{formatShare(total.ms / allMs)}</span>
          </li>
        );
      })}
    </ul>
  );
}

const edge = (ts: number, widthMs: number): string =>
  widthMs > DAY_MS ? formatDate(ts, "day") : formatDate(ts, "minutes");

function Bars({ bars, bounds, appearanceOf }: PartProps & { bars: readonly DurationBar[]; bounds: Bounds }) {
  const from = Math.min(bounds.from, bars[0]?.from ?? bounds.from);
  const to = Math.max(bounds.to, bars.at(-1)?.to ?? bounds.to);
  const x = (ts: number) => ((ts - from) / Math.max(1, to - from)) * BOX.width;
  return (
    <>
      <svg
        class="h-32 min-h-20 w-full flex-1 border-b border-base-300"
        viewBox={`0 0 ${BOX.width} ${BOX.height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        data-testid="durations"
      >
        {bars.map((bar) => {
          const width = x(bar.to) - x(bar.from);
          let below = 0;
          return (
            <g key={bar.from}>
              {bar.parts.map((part) => {
                const height = (part.ms / bar.totalMs) * BOX.height;
                below += height;
                const { name, color } = appearanceOf(part);
                return (
                  <rect
                    key={name}
                    x={x(bar.from) + (width * GAP_SHARE) / 2}
                    y={BOX.height - below}
                    width={width * (1 - GAP_SHARE)}
                    height={height}
                    style={{ fill: color }}
                  >
                    <title>{`${name}: ${formatSpan(part.ms)} · ${formatDate(bar.from, "stamp")}`}</title>
                  </rect>
                );
              })}
            </g>
          );
        })}
      </svg>
      <p class="flex justify-between gap-3 text-xs text-soft" aria-hidden="true">
        <span>{edge(from, to - from)}</span>
        <span>{edge(to, to - from)}</span>
      </p>
    </>
  );
}
