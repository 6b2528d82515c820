import type { Text } from "../texts/text.ts";

/** Max. characters of an email address (RFC 5321, 4.5.3.1.3). */
export const EMAIL_LENGTH_MAX = 254;

/**
 * Patterns of strings in requests. Each has a text `expected.form_…`, because errors describe a pattern in words. Schemas take their patterns from
 * here (`test/api/messages.test.ts`).
 */
export const TEXT_FORMS = {
  /** At least one visible character and no control characters, because names appear in logs, mail headers and exported files. */
  name: "^[^\\S\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$",
  line: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
  printable: "^[^\\u0000-\\u001f\\u007f]+$",
  no_nul: "^[^\\u0000]+$",
  visible: "\\S",
  email: '^\\s*[^\\s@<>,;:"\\\\\\u0000-\\u001f\\u007f]+@[^\\s@<>,;:"\\\\\\u0000-\\u001f\\u007f]+\\s*$',
  /** Address for a mail header, without surrounding spaces and without comments in brackets. */
  mail_address: '^[^\\s@<>,;:()"\\\\\\u0000-\\u001f\\u007f]+@[^\\s@<>,;:()"\\\\\\u0000-\\u001f\\u007f]+$',
  host: "^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252})|[0-9A-Fa-f:.]{2,45})$",
  phone: "^(\\+?[0-9][0-9 ()/.-]{2,30})?$",
  one_time_code: "^[0-9]{6}$",
  time_of_day: "^([01]\\d|2[0-3]):[0-5]\\d$",
  end_of_day: "^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$",
  dev_eui: "^[0-9A-Fa-f]{16}$",
  sha256: "^[0-9a-f]{64}$",
  mac: "^([0-9a-fA-F]{2}){1,6}$",
  server_path: "^(/[^\\s]*)?$",
  device_token: "^[A-Za-z0-9._~-]{20,128}$",
  object_prefix: "^(|[^/].*/)$",
  ntfy_topic: "^[-_A-Za-z0-9]*$",
  kafka_topic: "^[a-zA-Z0-9._-]{1,249}$",
  nats_stream: "^[^\\s.*>/\\\\]{1,128}$",
  broker_url: "^(?:mqtts?|wss?)://\\S+$",
  topic_level: "^[^/+#]*[^/+#\\s][^/+#]*$",
  content_type: "^[\\w.+-]+/[\\w.+-]+(;[\\x20-\\x7e]*)?$",
} as const;

/** Returns the pattern of a sort parameter: a field of the list, with `-` for descending order. */
export const sortForm = (fields: readonly string[]): string => `^-?(${fields.join("|")})$`;

const nameOf = new Map<string, string>(Object.entries(TEXT_FORMS).map(([name, pattern]) => [pattern, name]));

/** Shortens a name to its constant part, such as `latest.{key}`. */
function shortName(field: string): string {
  const end = field.indexOf(".{");
  return end < 0 ? field : `${field.slice(0, end)}…`;
}

/** Returns the description of a pattern; undefined for a pattern that is not defined here. */
export function formText(pattern: string): Text | undefined {
  const name = nameOf.get(pattern);
  if (name !== undefined) return { code: `expected.form_${name}`, params: {} };
  const [, fields] = /^\^-\?\((.+)\)\$$/.exec(pattern) ?? [];
  if (fields === undefined) return undefined;
  return {
    code: "expected.form_sort",
    params: { fields: fields.split("|").map(shortName) },
  };
}
