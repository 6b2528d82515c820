/** Values of placeholders, by name. */
export type TemplateValues = Readonly<Record<string, string>>;

export const PLACEHOLDER_NAMES = [
  "phone",
  "text",
  "fullName",
  "email",
  "severity",
  "trigger",
  "level",
  "alarmType",
  "deviceName",
  "message",
  "time",
] as const;

const PLACEHOLDER = /\$\{([A-Za-z]{1,32})\}/g;

/** Returns the unknown placeholders of the template. */
export const unknownPlaceholders = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)]
    .map(([, name = ""]) => name)
    .filter((name) => !PLACEHOLDER_NAMES.some((placeholderName) => placeholderName === name));

/** Max. uses of each placeholder: thousands of them would make megabytes of each message. */
export const PLACEHOLDER_USES_MAX = 4;

/** Returns the first placeholder that the template has too often. */
export function repeatedPlaceholder(template: string): string | undefined {
  const uses = new Map<string, number>();
  for (const [, name = ""] of template.matchAll(PLACEHOLDER)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return [...uses].find(([, count]) => count > PLACEHOLDER_USES_MAX)?.[0];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Returns a function that escapes a value, so that it stays one value whatever characters it contains. */
function writerOf(contentType: string): (text: string) => string {
  if (/[/+]json\b/i.test(contentType)) return inJson;
  if (/x-www-form-urlencoded/i.test(contentType)) return encodeURIComponent;
  return (text) => text;
}

const filled = (template: string, values: TemplateValues, write: (text: string) => string): string =>
  // In one pass, so that placeholders within values are not replaced.
  template.replace(PLACEHOLDER, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? whole : write(value.toWellFormed());
  });

export const fillBody = (template: string, contentType: string, values: TemplateValues): string =>
  filled(template, values, writerOf(contentType));

export const fillUrl = (template: string, values: TemplateValues): string =>
  filled(template, values, encodeURIComponent);
