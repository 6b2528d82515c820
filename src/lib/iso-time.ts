const isoTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Epoch ms of an ISO 8601 time with its zone, or of a day in UTC; undefined for any other text. */
export function parseIsoTime(text: string): number | undefined {
  const timeMs = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
