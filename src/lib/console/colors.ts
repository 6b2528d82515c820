type Channels = readonly [number, number, number];

/** Returns the channels of `#rrggbb`, 0 to 255; undefined for anything else. */
export function parseColor(text: string): Channels | undefined {
  const [, ...pairs] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? [];
  const [red, green, blue] = pairs.map((pair) => Number.parseInt(pair, 16));
  return red === undefined || green === undefined || blue === undefined ? undefined : [red, green, blue];
}

const toText = (channels: Channels): string =>
  `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;

/** Returns the relative luminance (WCAG 2.2). */
function luminance(channels: Channels): number {
  const [red, green, blue] = channels.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Channels; // three go in, three come out
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio (WCAG 2.2), 1 to 21. */
export function contrast(first: Channels, second: Channels): number {
  const [high = 0, low = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const WHITE: Channels = [255, 255, 255];
const BLACK: Channels = [0, 0, 0];
const mix = (from: Channels, to: Channels, share: number): Channels =>
  from.map((channel, index) => channel + ((to[index] ?? 0) - channel) * share) as unknown as Channels; // as many as came in

/** Returns the nearest shade of a color with at least `ratio` contrast on all backgrounds. */
export function readableOn(color: Channels, grounds: readonly Channels[], ratio: number): string {
  const isDark = grounds.every((ground) => luminance(ground) < 0.18);
  const pole = isDark ? WHITE : BLACK;
  for (let share = 0; share < 1; share += 0.02) {
    // Rounded as it will be written, so that rounding does not undo the change.
    const shade = parseColor(toText(mix(color, pole, share))) ?? pole;
    if (grounds.every((ground) => contrast(shade, ground) >= ratio)) return toText(shade);
  }
  return toText(pole);
}

/** Returns black or white, whichever has more contrast on a color. */
export const inkOn = (ground: Channels): string =>
  contrast(ground, WHITE) >= contrast(ground, BLACK) ? "#ffffff" : "#000000";
