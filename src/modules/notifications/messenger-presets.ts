import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import { detail, invalid } from "../../lib/core/domain-error.ts";
import { urlProblem } from "../../lib/network/outbound-request.ts";
import type { ErrorCode } from "../../lib/texts/catalogues.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { MessengerFields, MessengerKind, MessengerMessage } from "./messengers.types.ts";

/*
 * Request formats of the services, by their documentation: Telegram Bot API (sendMessage), Teams workflow webhooks (Adaptive Card in a message),
 * Slack incoming webhooks, ntfy (publish as JSON), Gotify (POST /message).
 */

interface Request {
  readonly url: string;
  /** Headers with secret values. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Preset {
  /** Default server; undefined if there is no public one. */
  readonly server?: string;
  /** Required field of the service besides server and secret. */
  readonly needs?: "chatId" | "topic";
  readonly isSecretOptional?: boolean;
  /** True if the secret is the whole URL. */
  readonly isWebhook?: boolean;
  request(fields: MessengerFields, secret: string): Request;
  body(fields: MessengerFields, message: MessengerMessage): unknown;
}

/** Returns the rank of a severity; 1 for the most severe. */
/** Priorities of ntfy (1 to 5, usually 3) and Gotify (0 to 10; phones ring from 8). */
const PRIORITIES: Record<AlarmSeverity, { readonly ntfy: number; readonly gotify: number }> = {
  CRITICAL: { ntfy: 5, gotify: 9 },
  MAJOR: { ntfy: 4, gotify: 7 },
  MINOR: { ntfy: 3, gotify: 5 },
  WARNING: { ntfy: 2, gotify: 3 },
  INDETERMINATE: { ntfy: 2, gotify: 3 },
};

/** Escapes three characters with a meaning in Slack. */
const inSlack = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Escapes Markdown, so that Teams does not convert a device's name to a link or heading. */
const inTeams = (text: string): string => text.replace(/[\\`*_[\]#<>~|]/g, "\\$&");

function slackText({ text, link }: MessengerMessage): string {
  const plain = inSlack(text);
  return link === undefined
    ? plain
    : `${plain}\n<${inSlack(link.url).replaceAll("|", "%7C")}|${inSlack(link.label)}>`;
}

const adaptiveCard = ({ title, text, isOver, severity, link }: MessengerMessage) => ({
  $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
  type: "AdaptiveCard",
  version: "1.4",
  body: [
    {
      type: "TextBlock",
      text: inTeams(title),
      weight: "Bolder",
      size: "Medium",
      wrap: true,
      color: isOver ? "Good" : severity === "CRITICAL" ? "Attention" : "Warning",
    },
    { type: "TextBlock", text: inTeams(text), wrap: true },
  ],
  ...(link !== undefined && { actions: [{ type: "Action.OpenUrl", title: link.label, url: link.url }] }),
});

const presets: Readonly<Record<MessengerKind, Preset>> = {
  TELEGRAM: {
    server: "https://api.telegram.org",
    needs: "chatId",
    request: ({ server }, secret) => ({ url: `${server}/bot${secret}/sendMessage`, headers: {} }),
    body: ({ chatId }, { text, link }) => ({
      chat_id: chatId,
      text: link === undefined ? text : `${text}\n${link.url}`,
      link_preview_options: { is_disabled: true },
    }),
  },
  TEAMS: {
    isWebhook: true,
    request: (_, secret) => ({ url: secret, headers: {} }),
    body: (_, message) => ({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          contentUrl: null,
          content: adaptiveCard(message),
        },
      ],
    }),
  },
  SLACK: {
    isWebhook: true,
    request: (_, secret) => ({ url: secret, headers: {} }),
    body: (_, message) => ({ text: slackText(message) }),
  },
  NTFY: {
    server: "https://ntfy.sh",
    needs: "topic",
    isSecretOptional: true,
    request: ({ server }, secret) => ({
      url: `${server}/`,
      headers: secret === "" ? {} : { Authorization: `Bearer ${secret}` },
    }),
    body: ({ topic }, { title, text, severity, isOver, link }) => ({
      topic,
      title,
      message: text,
      priority: isOver ? 3 : PRIORITIES[severity].ntfy,
      tags: [isOver ? "white_check_mark" : "warning"],
      ...(link !== undefined && { click: link.url }),
    }),
  },
  GOTIFY: {
    request: ({ server }, secret) => ({ url: `${server}/message`, headers: { "X-Gotify-Key": secret } }),
    body: (_, { title, text, severity, isOver, link }) => ({
      title,
      message: text,
      priority: isOver ? 4 : PRIORITIES[severity].gotify,
      ...(link !== undefined && { extras: { "client::notification": { click: { url: link.url } } } }),
    }),
  },
};

const wrong = (field: string, rule: Text) => invalid("messengers.invalid", { field, rule });

/** Returns the required fields of the service, with the URL of its server. */
export function readFields(
  kind: MessengerKind,
  input: Partial<MessengerFields>,
  secret: string | undefined,
): MessengerFields {
  const { server: usual = "", needs, isWebhook } = presets[kind];
  const value = (name: "chatId" | "topic") => (needs === name ? (input[name] ?? "").trim() : "");
  const fields = { chatId: value("chatId"), topic: value("topic") };
  if (needs !== undefined && fields[needs] === "") throw wrong(needs, detail("rule.secret_missing"));
  if (isWebhook) {
    const server =
      secret !== undefined && URL.canParse(secret) ? new URL(secret).origin : (input.server ?? "");
    return { ...fields, server };
  }
  const server = ((input.server ?? "").trim() || usual).replace(/\/$/, "");
  const problem = urlProblem(server);
  if (problem !== undefined) throw wrong("server", problem);
  return { ...fields, server };
}

/** Checks the secret and returns the request that contains it. */
export function requestOf(kind: MessengerKind, fields: MessengerFields, secret: string): Request {
  const { isWebhook, isSecretOptional } = presets[kind];
  if (secret === "" && !isSecretOptional) throw wrong("secret", detail("rule.secret_missing"));
  if (isWebhook) {
    const problem = urlProblem(secret);
    if (problem !== undefined) throw wrong("secret", problem);
  } else if (!/^[\x21-\x7e]*$/.test(secret) || (kind === "TELEGRAM" && !/^\d+:[\w-]+$/.test(secret)))
    throw wrong("secret", detail("rule.token_form"));
  return presets[kind].request(fields, secret);
}

export const bodyOf = (kind: MessengerKind, fields: MessengerFields, message: MessengerMessage): string =>
  JSON.stringify(presets[kind].body(fields, message));

/** Documented causes of a service's response codes. */
const causes: Readonly<Record<MessengerKind, Readonly<Record<number, ErrorCode>>>> = {
  TELEGRAM: {
    400: "messenger_error.telegram_chat",
    401: "messenger_error.telegram_token",
    403: "messenger_error.telegram_blocked",
    404: "messenger_error.telegram_token",
  },
  TEAMS: {
    400: "messenger_error.teams_refused",
    401: "messenger_error.webhook_unknown",
    403: "messenger_error.webhook_unknown",
    404: "messenger_error.webhook_unknown",
  },
  SLACK: {
    400: "messenger_error.slack_refused",
    403: "messenger_error.slack_forbidden",
    404: "messenger_error.webhook_unknown",
    410: "messenger_error.slack_archived",
  },
  NTFY: {
    400: "messenger_error.ntfy_topic",
    401: "messenger_error.ntfy_forbidden",
    403: "messenger_error.ntfy_forbidden",
  },
  GOTIFY: {
    401: "messenger_error.gotify_token",
    403: "messenger_error.gotify_token",
    404: "messenger_error.gotify_address",
  },
};

/** Returns the cause of the service's response; undefined if the status is self-explanatory. */
export function causeOf(kind: MessengerKind, status: number | null): Text | undefined {
  const code =
    status === null ? undefined : status === 429 ? "messenger_error.too_many" : causes[kind][status];
  return code === undefined ? undefined : { code, params: {} };
}
