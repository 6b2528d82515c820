import type { ComponentChildren } from "preact";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { skippedIn } from "../../lib/chart-data.ts";
import type { TimeBounds } from "../../lib/time-window.ts";
import { formatReading, formatSampleTime } from "../../platform/i18n/format.ts";
import { plural } from "../../platform/i18n/i18n.ts";
import type { ChartLine } from "./chart-host.tsx";
import type { ChartLink } from "./chart-link.ts";

interface Props {
  readonly line: ChartLine;
  /** Key, shown on hover. */
  readonly title?: string;
  readonly link: ChartLink;
  readonly bounds: TimeBounds;
  /** Time whose value is shown while nothing is under the pointer; the newest by default. */
  readonly restTs?: number;
  /** Formats the value, instead of the metadata. */
  readonly text?: (value: TelemetryValue | undefined) => string;
  /** True if the line has a row of its own. */
  readonly isLarge?: boolean;
  /** Shown between name and value. */
  readonly note?: string | undefined;
  /** Shown after the value. */
  readonly children?: ComponentChildren;
}

/** Color and name of a line, with the value and time of the sample that its dot marks. */
export function ReadOut({
  line,
  title,
  link,
  bounds,
  restTs = Number.POSITIVE_INFINITY,
  isLarge,
  ...props
}: Props) {
  const { buffer, metadata } = line;
  const pointed = link.cursor.value;
  const value = buffer.values[buffer.heldAt(pointed ?? restTs)];
  const sampleTs = pointed === undefined ? undefined : buffer.ts[buffer.heldAt(pointed)];
  const skipped = skippedIn(buffer, bounds);
  return (
    <>
      <span
        class={`flex-none self-center ${isLarge ? "h-1 w-3.5 rounded-xs" : "h-0.5 w-3"}`}
        style={{ background: line.color }}
        aria-hidden="true"
      />
      <span class={`min-w-0 truncate ${isLarge ? "font-medium" : "text-soft"}`} title={title}>
        {line.name}
      </span>
      {props.note !== undefined && <span class="text-soft">{props.note}</span>}
      <span class={`reading font-medium ${isLarge ? "text-lg" : ""}`}>
        {props.text?.(value) ?? formatReading(value, metadata)}
      </span>
      {props.children}
      {sampleTs !== undefined && (
        <span class="reading text-sm text-soft" data-testid="sample-time">
          {formatSampleTime(sampleTs, bounds)}
        </span>
      )}
      {skipped > 0 && <span class="text-sm text-warning">{plural("data.skipped", skipped)}</span>}
    </>
  );
}
