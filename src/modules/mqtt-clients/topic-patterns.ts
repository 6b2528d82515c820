import { isReservedTopic } from "../../lib/mqtt/reserved-topics.ts";
import { filterCovers, filterMatches, isValidFilter } from "../../lib/mqtt/topic-filters.ts";
import { mqttPatternInvalid, mqttPatternReserved } from "./mqtt-clients.errors.ts";
import type { TopicPatterns } from "./mqtt-clients.types.ts";

/**
 * Checks the patterns of a client. Clients may not publish on reserved topics (`$…`, `lineside/…`).
 * @throws DomainError `mqtt_client.pattern_invalid`, `mqtt_client.pattern_reserved`
 */
export function checkPatterns({ publish, subscribe }: TopicPatterns): void {
  for (const pattern of [...publish, ...subscribe])
    if (!isValidFilter(pattern) || pattern.startsWith("$share/")) throw mqttPatternInvalid(pattern);
  for (const pattern of publish) if (isReservedTopic(pattern)) throw mqttPatternReserved(pattern);
}

export const mayPublish = ({ publish }: TopicPatterns, topic: string): boolean =>
  !isReservedTopic(topic) && publish.some((pattern) => filterMatches(pattern, topic));

/** Returns whether one of the patterns covers the whole filter. A leading wildcard does not match reserved topics. */
export const maySubscribe = ({ subscribe }: TopicPatterns, filter: string): boolean =>
  subscribe.some((pattern) => {
    if (isReservedTopic(filter) && !isReservedTopic(pattern)) return false;
    return filterCovers(pattern, filter);
  });
