/** Zone → formatter. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const existing = formats.get(timeZone);
  if (existing) return existing;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(timeZone, format);
  return format;
}

/** Returns the local time of a zone in the format of a date and time input: `2026-12-24T18:00`. UTC for an unknown zone. */
export function toZonedText(ts: number, timeZone: string): string {
  const format = formatOf(isZone(timeZone) ? timeZone : "UTC");
  const parts = new Map(format.formatToParts(ts).map(({ type, value }) => [type, value]));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return `${of("year")}-${of("month")}-${of("day")}T${of("hour")}:${of("minute")}`;
}

/** A time without an offset is in the schedule's zone; some browsers leave the seconds out. */
export const fromZonedText = (text: string): string => (text.length === 16 ? `${text}:00` : text);

export function isZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return timeZone !== "";
  } catch {
    return false;
  }
}

export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
