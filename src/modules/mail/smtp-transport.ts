import { isIP } from "node:net";
import { detail } from "../../lib/core/domain-error.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import { identityBehindRelay, LimitedRelay } from "../../platform/network/limited-relay.ts";
import { MailRefusal, type MailTransport } from "./mail.types.ts";

const CONNECT_TIMEOUT_MS = 20_000;
const SILENCE_MAX_MS = 60_000;
const REASON_CHARACTERS_MAX = 500;
/** Max. bytes from the server per attempt; greeting, extensions, certificates and a dozen replies take about 10 kB. */
const SERVER_BYTES_MAX = 128 * 1024;

/** Single address; nodemailer would parse commas, brackets and quotes as further recipients. */
const SOLE_ADDRESS = /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/;

/** Error codes of nodemailer and the relay. */
const TIMED_OUT: ReadonlySet<string> = new Set(["ETIMEDOUT", "EABORT", "network_error.no_response_within"]);

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Returns the refusal for an error. A 5xx response to this sender, recipient or content is permanent; connection errors may be temporary. */
function refusalOf(error: unknown): MailRefusal {
  const { code = "", responseCode = 0 } = error as SmtpError; // all that nodemailer and the network throw has this shape
  const isPermanent =
    (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode === 0 || responseCode >= 500);
  return new MailRefusal(smtpText(error as SmtpError), isPermanent, error);
}

/** Returns a text for the failure, with the message of the server or network if there is one. */
function smtpText(error: SmtpError): Text {
  const { code = "", responseCode = 0, message } = error;
  const reason = excerpt(message, REASON_CHARACTERS_MAX);
  if (code === "EAUTH") return detail("mail_error.sign_in", { reason });
  if (responseCode > 0) return detail("mail_error.refused", { reason });
  if (error.name === "TimeoutError" || TIMED_OUT.has(code)) return detail("mail_error.timed_out");
  return detail("mail_error.connection", { reason: networkErrorText(error) });
}

/** This machine: nobody can be in between. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/**
 * Parses `smtp://` or `smtps://` with user, password, host and port; `?requireTLS=` and `?tls.rejectUnauthorized=false`. By default, a password
 * to another machine requires encryption, because anybody in between can hide that the server offers it.
 */
export function parseSmtpUrl(text: string) {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const flag = (name: string) => url.searchParams.get(name);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const needsEncryption = url.username !== "" && !OWN_HOST.test(host);
  return {
    host,
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: (flag("requireTLS") ?? String(needsEncryption)) === "true",
    tls: { rejectUnauthorized: flag("tls.rejectUnauthorized") !== "false" },
    ...(url.username !== "" && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
  };
}

type SmtpServer = ReturnType<typeof parseSmtpUrl>;

/** Returns the default sender address: the mailbox that signs in, otherwise one of the server's domain. */
export function defaultSender(smtpUrl: string): string {
  const { auth, host } = parseSmtpUrl(smtpUrl);
  return auth?.user.includes("@") ? auth.user : `lineside@${host}`;
}

/** Opens a relay that limits the server's responses, because nodemailer buffers all of them. */
async function openRelay({ host, port }: SmtpServer, signal: AbortSignal): Promise<LimitedRelay> {
  try {
    return await LimitedRelay.open({
      host,
      port,
      timeoutMs: CONNECT_TIMEOUT_MS,
      signal,
      bytesPerSent: 0,
      responseBytesMax: SERVER_BYTES_MAX,
    });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

/** Returns the server settings for nodemailer: the address of the relay, with the certificate checked against the server's name. */
const behindRelay = (server: SmtpServer, { host, port }: LimitedRelay) => ({
  ...server,
  host,
  port,
  tls: {
    ...server.tls,
    ...identityBehindRelay(isIP(server.host) === 0 ? server.host : undefined, server.host),
  },
});

export function createSmtpTransport(options: {
  url: string;
  from: string;
  /** Time limit of an attempt in ms, whatever the server does. */
  timeoutMs: number;
}): MailTransport {
  const { from } = options;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    async send({ mailId, fromName, to, subject, text, html }) {
      if (!SOLE_ADDRESS.test(to)) throw new MailRefusal(detail("mail_error.address"), true);
      // Most gateways send a mail in days, so its 5 MB are loaded only for that.
      const { createTransport } = await import("nodemailer");
      const signal = AbortSignal.timeout(options.timeoutMs);
      const server = parseSmtpUrl(options.url);
      let relay: LimitedRelay | undefined;
      try {
        relay = await openRelay(server, signal);
        const transport = createTransport({
          ...behindRelay(server, relay),
          connectionTimeout: CONNECT_TIMEOUT_MS,
          greetingTimeout: CONNECT_TIMEOUT_MS,
          socketTimeout: SILENCE_MAX_MS,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
        const { response } = await transport.sendMail({
          from: { name: fromName, address: from },
          to: { name: "", address: to },
          envelope: { from, to: [to] },
          // The same for every attempt, so that the server can detect a mail that it accepted without being able to confirm.
          messageId: `<${mailId}@${domain}>`,
          headers: { "Auto-Submitted": "auto-generated" },
          subject,
          text,
          html,
          signal,
        } as Parameters<typeof transport.sendMail>[0]); // the types do not know `signal` yet
        return excerpt(response, REASON_CHARACTERS_MAX);
      } catch (error) {
        throw refusalOf(relay?.isCut === true ? relay.failure : error);
      } finally {
        relay?.close();
      }
    },
  };
}
