// Alarms, commands and notes, as a chart shows them.

export interface Annotation {
  readonly kind: "alarm" | "command" | "note";
  /** Epoch ms. */
  readonly from: number;
  /** End of a period: infinity if it is still open, equal to `from` for a moment. */
  readonly to: number;
  readonly color: string;
  readonly text: string;
}

interface Transition {
  readonly eventType: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A period, epoch ms. One that is still open ends at infinity. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Returns the periods between raising and clearing of an alarm, the oldest first. */
export function raisedPeriods(events: readonly Transition[]): Period[] {
  const periods: Period[] = [];
  let from: number | undefined;
  for (const { eventType, createdAt } of events) {
    const ts = Date.parse(createdAt);
    if (eventType === "CREATED" || eventType === "REOPENED") from ??= ts;
    else if (eventType === "CLEARED" && from !== undefined) {
      periods.push({ from, to: ts });
      from = undefined;
    }
  }
  if (from !== undefined) periods.push({ from, to: Number.POSITIVE_INFINITY });
  return periods;
}

/** Returns the annotations at a time, or within `toleranceMs` of it. */
export const annotationsAt = (
  annotations: readonly Annotation[],
  ts: number,
  toleranceMs: number,
): Annotation[] => annotations.filter(({ from, to }) => ts >= from - toleranceMs && ts <= to + toleranceMs);
