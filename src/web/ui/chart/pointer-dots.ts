import type uPlot from "uplot";
import { toNumber } from "../../lib/chart-data.ts";
import type { SeriesBuffer } from "../../lib/series-buffer.ts";
import { textScale } from "../text-scale.ts";
import type { ChartSeries } from "./chart-axes.ts";

const SIZE_PX = 7;

/**
 * Marks the sample of each line that is in effect at the pointer, which is the sample that legends show. uPlot would mark the nearest sample, and only
 * one that thinned columns still have.
 */
export class PointerDots {
  readonly #dots: readonly HTMLElement[];

  constructor(host: HTMLElement, lines: readonly ChartSeries[]) {
    const size = `${SIZE_PX * textScale()}px`;
    this.#dots = lines.map(({ color, key }) => {
      const dot = document.createElement("div");
      dot.className = "u-cursor-pt";
      dot.dataset.testid = "pointer-dot";
      dot.dataset.line = key;
      Object.assign(dot.style, { width: size, height: size, background: color, translate: "-50% -50%" });
      dot.hidden = true;
      host.append(dot);
      return dot;
    });
  }

  move(u: uPlot, sources: readonly SeriesBuffer[], ts: number | undefined): void {
    for (const [index, dot] of this.#dots.entries()) {
      const place =
        ts === undefined ? undefined : placeOf(u, { number: index + 1, source: sources[index], ts });
      dot.hidden = place === undefined;
      if (place !== undefined) dot.style.transform = `translate(${place.left}px, ${place.top}px)`;
    }
  }
}

function placeOf(
  u: uPlot,
  { number, source, ts }: { number: number; source: SeriesBuffer | undefined; ts: number },
): { readonly left: number; readonly top: number } | undefined {
  const index = source?.heldAt(ts) ?? -1;
  const value = source?.values[index];
  const height = value === undefined ? null : toNumber(value);
  if (source === undefined || height === null) return undefined;
  const left = u.valToPos(source.ts[index] ?? 0, "x");
  return left < 0 ? undefined : { left, top: u.valToPos(height, u.series[number]?.scale ?? "y") };
}
