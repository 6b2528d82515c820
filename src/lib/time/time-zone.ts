const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const NAME_MAX = 64;

/** Returns whether it is the name of a time zone, as Europe/Berlin; no offsets. */
export function isTimeZone(value: unknown): value is string {
  if (typeof value !== "string" || value.length > NAME_MAX || !ZONE_NAME.test(value)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
