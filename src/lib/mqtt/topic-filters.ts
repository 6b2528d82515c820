import { malformed, ProtocolError, protocolError, Reason } from "./reason.ts";

/** Returns whether a filter is valid (MQTT 5, 4.7): `+` is a whole level, `#` is the last level. */
export function isValidFilter(filter: string): boolean {
  if (filter.length === 0 || filter.split("/").length > TOPIC_LEVELS_MAX) return false;
  const levels = filter.split("/");
  return levels.every((level, index) => {
    if (level === "+") return true;
    if (level === "#") return index === levels.length - 1;
    return !level.includes("+") && !level.includes("#");
  });
}

/** Max. levels of a topic. The topic tree of the broker accepts 100 levels, and the internal prefix of a device takes two of them. */
const TOPIC_LEVELS_MAX = 90;

/** @throws if a PUBLISH must not have this topic */
export function checkTopicName(topic: string): void {
  if (topic.length === 0) throw protocolError("topic name is empty"); // MQTT 5, 3.3.2.3.4
  if (topic.includes("+") || topic.includes("#")) throw malformed("topic name holds a wildcard");
  if (topic.split("/").length > TOPIC_LEVELS_MAX) {
    throw new ProtocolError(Reason.topicNameInvalid, "topic name has too many levels");
  }
}

/** Returns whether any topic matches both filters. */
export function filtersOverlap(a: string, b: string): boolean {
  const left = a.split("/");
  const right = b.split("/");
  for (let level = 0; ; level++) {
    const x = left[level];
    const y = right[level];
    if (x === "#" || y === "#") return true;
    if (x === undefined || y === undefined) return x === y;
    if (x !== y && x !== "+" && y !== "+") return false;
  }
}

/** Returns whether `filter` matches `topic`; a leading wildcard does not match topics that begin with `$` (MQTT 5, 4.7). */
export function filterMatches(filter: string, topic: string): boolean {
  if (topic.startsWith("$") && (filter.startsWith("+") || filter.startsWith("#"))) return false;
  const wildcardAt = filter.search(/[+#]/);
  if (wildcardAt === -1) return filter === topic;
  // Most filters can be excluded before comparing levels. `a/#` also matches `a`, without the slash.
  if (!topic.startsWith(filter.slice(0, Math.max(0, wildcardAt - 1)))) return false;
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/** Returns whether `pattern` matches every topic that `filter` matches; false if uncertain (`+/#` against `#`). */
export function filterCovers(pattern: string, filter: string): boolean {
  if (filter.startsWith("$") && /^[+#]/.test(pattern)) return false;
  const wide = pattern.split("/");
  const narrow = filter.split("/");
  for (const [index, level] of wide.entries()) {
    if (level === "#") return true;
    const asked = narrow[index];
    if (asked === undefined || asked === "#" || (level !== "+" && level !== asked)) return false;
  }
  return wide.length === narrow.length;
}

/** Shared subscription (MQTT 5, 4.8.2), `$share/{group}/{filter}`. */
export interface SharedFilter {
  readonly group: string;
  readonly filter: string;
}

/** Returns the parts of a shared subscription; undefined for other filters and for invalid groups. */
export function readSharedFilter(topic: string): SharedFilter | undefined {
  const [, group = "", filter = ""] = /^\$share\/([^/+#]+)\/(.+)$/.exec(topic) ?? [];
  return group === "" ? undefined : { group, filter };
}

/** Returns the filter of a shared subscription (MQTT 5, 4.8.2) without its prefix, and any other filter unchanged. */
export const withoutShare = (filter: string): string => filter.replace(/^\$share\/[^/]+\//, "");
