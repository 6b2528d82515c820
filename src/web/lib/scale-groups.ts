export interface Extent {
  readonly min: number;
  readonly max: number;
}

/** A line that fills less than this share of the chart's height looks flat. */
const SHARE_MIN = 0.1;

const spanOf = ({ min, max }: Extent): number => max - min || Math.abs(max) * SHARE_MIN || 1;

/**
 * Groups lines that may share a value axis: line i gets the group with number result[i]. A line joins the first group in which neither it nor any
 * other line would look flat: 22 °C and 1,013 hPa get an axis each, and two temperatures stay comparable. Lines with different `units` never share
 * an axis.
 */
export function scaleGroups(
  extents: readonly (Extent | undefined)[],
  units: readonly (string | undefined)[] = [],
): number[] {
  const groups: { extent: Extent; smallestSpan: number; unit: string | undefined }[] = [];
  return extents.map((extent, index) => {
    if (!extent) return 0;
    const unit = units[index];
    for (const [number, group] of groups.entries()) {
      if (group.unit !== unit) continue;
      const joined = {
        min: Math.min(group.extent.min, extent.min),
        max: Math.max(group.extent.max, extent.max),
      };
      const smallestSpan = Math.min(group.smallestSpan, spanOf(extent));
      if (smallestSpan < spanOf(joined) * SHARE_MIN) continue;
      groups[number] = { extent: joined, smallestSpan, unit };
      return number;
    }
    groups.push({ extent, smallestSpan: spanOf(extent), unit });
    return groups.length - 1;
  });
}

/** Value axes of one chart, one on each side. Lines with further scales get a chart below. */
export const AXES_MAX = 2;

/** Returns the number of charts that the lines need, from the scale of each line. */
export const paneCount = (scales: readonly number[]): number =>
  Math.floor(Math.max(0, ...scales) / AXES_MAX) + 1;

/** Returns the chart of a scale and its index within that chart. */
export const paneOf = (scale: number): { pane: number; scale: number } => ({
  pane: Math.floor(scale / AXES_MAX),
  scale: scale % AXES_MAX,
});
