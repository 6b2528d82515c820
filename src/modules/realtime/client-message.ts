import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import { type ClientMessage, type RealtimeTopic, realtimeTopics } from "./realtime.types.ts";

const ID_LENGTH_MAX = 64;
const LIST_LENGTH_MAX = 10_000;

const malformed = (message: string) => invalid("realtime.message_invalid", message);

function readTexts(value: unknown, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (
    !Array.isArray(value) ||
    value.length > LIST_LENGTH_MAX ||
    value.some((item) => typeof item !== "string" || item.length > 256)
  )
    throw malformed(`${name} must be an array of texts`);
  return value;
}

function readId(value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > ID_LENGTH_MAX)
    throw malformed(`id must be a text of 1 to ${ID_LENGTH_MAX} characters`);
  return value;
}

function readTopics(value: unknown): RealtimeTopic[] {
  const topics = (readTexts(value, "topics") ?? []).map((name) =>
    realtimeTopics.find((topic) => topic === name),
  );
  if (topics.length === 0 || topics.includes(undefined))
    throw malformed(`topics must name some of ${realtimeTopics.join(", ")}`);
  return topics.filter((topic) => topic !== undefined);
}

/** One text frame of a client. @throws DomainError `realtime.message_invalid`. */
export function parseClientMessage(text: string): ClientMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw malformed("messages are JSON objects");
  }
  if (!isJsonObject(message)) throw malformed("messages are JSON objects");
  if (message.type === "ping") return { type: "ping" };
  if (message.type === "auth" && typeof message.token === "string")
    return { type: "auth", token: message.token };
  if (message.type === "unsubscribe") return { type: "unsubscribe", id: readId(message.id) };
  if (message.type !== "subscribe") throw malformed("type must be auth, subscribe, unsubscribe or ping");
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
