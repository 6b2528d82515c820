const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const NAME_MAX = 64;

/** Returns whether a value is the name of a time zone, such as Europe/Berlin, excluding offsets. */
export function isTimeZone(value: unknown): value is string {
  if (typeof value !== "string" || value.length > NAME_MAX || !ZONE_NAME.test(value)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
