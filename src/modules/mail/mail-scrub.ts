import type { OutboxMail } from "./mail.types.ts";
import { mailSecrets, REMOVED_SECRET } from "./mail-text.ts";

/** Returns the fields of a mail that change when its secrets are taken out. */
export function scrubbed({ template, values }: OutboxMail): Pick<OutboxMail, "values" | "secretUntil"> {
  const hidden = (mailSecrets[template]?.fields ?? []).map((field) => [field, REMOVED_SECRET]);
  return { values: { ...values, ...Object.fromEntries(hidden) }, secretUntil: null };
}
