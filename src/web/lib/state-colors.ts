import type { StateColor } from "../../lib/keys/key-metadata.ts";

/** Colors of states in the light and the dark theme, each with a contrast of at least 3 : 1 on its panel. Red, orange and yellow are those of the severities. */
const colors: Readonly<Record<StateColor, readonly [light: string, dark: string]>> = {
  gray: ["#6b7880", "#8fa0a9"],
  green: ["#1c7040", "#5fce8d"],
  yellow: ["#b87f00", "#f5b000"],
  orange: ["#d95f02", "#ff8f33"],
  red: ["#d02a1e", "#ff5f52"],
  blue: ["#1f5fa8", "#7db4f0"],
  teal: ["#0e5a6b", "#5cc4d8"],
  purple: ["#5b3fa0", "#b6a2f2"],
  pink: ["#8a2a6b", "#f08ac8"],
};

export const stateColor = (color: StateColor, isDark: boolean): string => colors[color][isDark ? 1 : 0];
