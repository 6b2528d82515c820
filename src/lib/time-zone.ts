const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;
const NAME_MAX = 64;

/** Whether it is the name of a time zone, as Europe/Berlin; no offsets. */
export function isTimeZone(given: unknown): given is string {
  if (typeof given !== "string" || given.length > NAME_MAX || !zoneName.test(given)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: given });
    return true;
  } catch {
    return false;
  }
}
