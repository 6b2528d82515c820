import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import { formatSampleTime } from "../../platform/i18n/format.ts";

/** Time of the sample that the dot of a line marks, next to its value. */
export function SampleTime({
  buffer,
  pointed,
  bounds,
}: {
  readonly buffer: SeriesBuffer;
  /** Time under the pointer. */
  readonly pointed: number | undefined;
  readonly bounds: { readonly from: number; readonly to: number };
}) {
  const ts = pointed === undefined ? undefined : buffer.ts[buffer.heldAt(pointed)];
  if (ts === undefined) return null;
  return (
    <span class="reading text-sm text-soft" data-testid="sample-time">
      {formatSampleTime(ts, bounds)}
    </span>
  );
}
