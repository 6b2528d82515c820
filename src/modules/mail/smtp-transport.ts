import { detail } from "../../lib/core/domain-error.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { MailRefusal, type MailTransport } from "./mail.types.ts";

const CONNECT_TIMEOUT_MS = 20_000;
const SILENCE_MAX_MS = 60_000;
const REASON_CHARACTERS_MAX = 500;

/** nodemailer reads commas, brackets and quotes as further recipients. */
const SOLE_ADDRESS = /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/;

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** A server that says 5xx to this sender, recipient or content will say it again; what concerns the connection may pass. */
function refusalOf(error: unknown): MailRefusal {
  const { code = "", responseCode = 0, message } = error as SmtpError; // all that nodemailer throws has this shape
  const isPermanent =
    (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode === 0 || responseCode >= 500);
  return new MailRefusal(textOf({ code, responseCode, message }), isPermanent, error);
}

/** Returns a text for the failure, with the words of the server or of the network if there are any. */
function textOf({
  code,
  responseCode,
  message,
}: Pick<Required<SmtpError>, "code" | "responseCode" | "message">): Text {
  const reason = excerpt(message, REASON_CHARACTERS_MAX);
  if (code === "EAUTH") return detail("mail_error.sign_in", { reason });
  if (responseCode > 0) return detail("mail_error.refused", { reason });
  if (code === "ETIMEDOUT" || code === "ABORT_ERR") return detail("mail_error.timed_out");
  return detail("mail_error.connection", { reason });
}

/** `smtp://` or `smtps://` with user, password, host, port; `?requireTLS=true` and `?tls.rejectUnauthorized=false`. */
export function parseSmtpUrl(text: string) {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const flag = (name: string) => url.searchParams.get(name);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: flag("requireTLS") === "true",
    tls: { rejectUnauthorized: flag("tls.rejectUnauthorized") !== "false" },
    ...(url.username !== "" && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
  };
}

/** The sender's address unless one is configured: the mailbox that signs in, else one of the server's domain. */
export function defaultSender(smtpUrl: string): string {
  const { auth, host } = parseSmtpUrl(smtpUrl);
  return auth?.user.includes("@") ? auth.user : `lineside@${host}`;
}

export function createSmtpTransport(options: {
  url: string;
  from: string;
  /** A try that takes longer is given up, whatever the server still does. */
  timeoutMs: number;
}): MailTransport {
  const { from } = options;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    async send({ mailId, fromName, to, subject, text, html }) {
      if (!SOLE_ADDRESS.test(to)) throw new MailRefusal(detail("mail_error.address"), true);
      // Most gateways send a mail in days, so its 5 MB are loaded only for that.
      const { createTransport } = await import("nodemailer");
      const transport = createTransport({
        ...parseSmtpUrl(options.url),
        connectionTimeout: CONNECT_TIMEOUT_MS,
        greetingTimeout: CONNECT_TIMEOUT_MS,
        dnsTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SILENCE_MAX_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        const { response } = await transport.sendMail({
          from: { name: fromName, address: from },
          to: { name: "", address: to },
          envelope: { from, to: [to] },
          // The same for every try: a server that took the mail and could not say so sees that it knows it.
          messageId: `<${mailId}@${domain}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          subject,
          text,
          html,
          signal: AbortSignal.timeout(options.timeoutMs),
        } as Parameters<typeof transport.sendMail>[0]); // the types do not know `signal` yet
        return excerpt(response, REASON_CHARACTERS_MAX);
      } catch (error) {
        throw refusalOf(error);
      } finally {
        transport.close();
      }
    },
  };
}
