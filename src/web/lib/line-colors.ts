/** Line colors, each with a contrast of at least 4.5 : 1 to the panel of its theme, and distinguishable with color blindness. */
const LIGHT = ["#0e5a6b", "#a85b00", "#5b3fa0", "#1c7040", "#b3261e", "#1f5fa8", "#8a2a6b", "#5c5f00"];
const DARK = ["#5cc4d8", "#f5b04a", "#b6a2f2", "#5fce8d", "#ff8b80", "#7db4f0", "#f08ac8", "#d3d45c"];

export function lineColor(index: number, dark: boolean): string {
  const palette = dark ? DARK : LIGHT;
  return palette[index % palette.length]!;
}
