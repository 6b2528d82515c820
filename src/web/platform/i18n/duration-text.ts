import { plural } from "./i18n.ts";

export const UNITS = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;
export type Unit = keyof typeof UNITS;
export const unitNames = Object.keys(UNITS) as Unit[]; // the largest first

/** Returns the largest unit in which the duration is a whole number. */
export const unitOf = (ms: number): Unit => unitNames.find((unit) => ms % UNITS[unit] === 0) ?? "seconds";

export function durationText(ms: number): string {
  const unit = unitOf(ms);
  return plural(`duration.${unit}`, ms / UNITS[unit]);
}

/** Formats a measured duration with at most one decimal. */
export function roughDurationText(ms: number): string {
  const unit = unitNames.find((name) => ms >= UNITS[name]) ?? "seconds";
  return plural(`duration.${unit}`, Math.round((ms / UNITS[unit]) * 10) / 10);
}
