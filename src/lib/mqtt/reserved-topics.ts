import { filterMatches } from "./topic-filters.ts";

/** First level of topics with the state of devices, for programs. */
export const SERVER_LEVEL = "lineside";

/** First level of topics with counters of the server. */
export const SYSTEM_LEVEL = "$SYS";

/**
 * Returns whether a topic or filter is reserved for the server. Only the server publishes there, and filters with a leading wildcard do not match
 * reserved topics, as with `$` (MQTT 5, 4.7.2).
 */
export const isReservedTopic = (topic: string): boolean =>
  topic.startsWith("$") || topic === SERVER_LEVEL || topic.startsWith(`${SERVER_LEVEL}/`);

/** Returns whether a filter of a client matches a topic. A leading wildcard does not match reserved topics. */
export const clientFilterMatches = (filter: string, topic: string): boolean =>
  !(isReservedTopic(topic) && !isReservedTopic(filter)) && filterMatches(filter, topic);
