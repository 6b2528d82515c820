import { filterMatches } from "./topic-filters.ts";

/** First level of the topics on which the server publishes the state of devices to programs. */
export const SERVER_LEVEL = "lineside";

/** First level of the topics on which the server publishes its counters. */
export const SYSTEM_LEVEL = "$SYS";

/**
 * Returns whether a topic or filter is reserved for the server. Only the server publishes there, and filters that begin with a
 * wildcard do not match reserved topics, as with `$` (MQTT 5, 4.7.2).
 */
export const isReservedTopic = (topic: string): boolean =>
  topic.startsWith("$") || topic === SERVER_LEVEL || topic.startsWith(`${SERVER_LEVEL}/`);

/** Returns whether a client's filter matches a topic. A leading wildcard does not match reserved topics. */
export const clientFilterMatches = (filter: string, topic: string): boolean =>
  !(isReservedTopic(topic) && !isReservedTopic(filter)) && filterMatches(filter, topic);
