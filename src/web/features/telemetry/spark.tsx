import { sparkPath, toNumber } from "../../lib/chart-data.ts";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import { serverNow } from "../../platform/now.ts";

interface SparkProps {
  readonly buffer: SeriesBuffer;
  readonly spanMs: number;
  /** Classes that set the width. */
  readonly class?: string;
}

/** A small curve of the last `spanMs` milliseconds, without axes. */
export function Spark({ buffer, spanMs, class: width = "w-full sm:w-32" }: SparkProps) {
  const from = serverNow() - spanMs;
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
      class={`h-9 overflow-visible text-primary ${width}`}
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
