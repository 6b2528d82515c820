import { detail, invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import { type ClientMessage, type RealtimeTopic, realtimeTopics } from "./realtime.types.ts";

const ID_LENGTH_MAX = 64;
const LIST_LENGTH_MAX = 10_000;

const malformed = (rule: Text) => invalid("realtime.message_invalid", { rule });

function readTexts(value: unknown, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (
    !Array.isArray(value) ||
    value.length > LIST_LENGTH_MAX ||
    value.some((item) => typeof item !== "string" || item.length > 256)
  )
    throw malformed(detail("rule.texts", { name }));
  return value;
}

function readId(value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > ID_LENGTH_MAX)
    throw malformed(detail("rule.id_length", { max: ID_LENGTH_MAX }));
  return value;
}

function readTopics(value: unknown): RealtimeTopic[] {
  const topics = (readTexts(value, "topics") ?? []).map((name) =>
    realtimeTopics.find((topic) => topic === name),
  );
  if (topics.length === 0 || topics.includes(undefined))
    throw malformed(detail("rule.topics_unknown", { realtimeTopics: realtimeTopics.join(", ") }));
  return topics.filter((topic) => topic !== undefined);
}

/** Parses one text frame of a client. @throws DomainError `realtime.message_invalid`. */
export function parseClientMessage(text: string): ClientMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw malformed(detail("rule.message_not_object"));
  }
  if (!isJsonObject(message)) throw malformed(detail("rule.message_not_object"));
  if (message.type === "ping") return { type: "ping" };
  if (message.type === "auth" && typeof message.token === "string")
    return { type: "auth", token: message.token };
  if (message.type === "unsubscribe") return { type: "unsubscribe", id: readId(message.id) };
  if (message.type !== "subscribe") throw malformed(detail("rule.message_type"));
  const deviceIds = readTexts(message.deviceIds, "deviceIds");
  const keys = readTexts(message.keys, "keys");
  return {
    type: "subscribe",
    id: readId(message.id),
    topics: readTopics(message.topics),
    ...(deviceIds && { deviceIds }),
    ...(keys && { keys }),
  };
}
