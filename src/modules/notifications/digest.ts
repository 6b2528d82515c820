import { compareSeverities } from "../../lib/severity.ts";
import type { Digest, NotificationLine } from "./notifications.types.ts";

/** Number of alarms that a digest names; the others are counted. */
const NAMED_MAX = 5;

/** Returns the digest with one more line. */
export function addToDigest(digest: Digest | null, line: NotificationLine): Digest {
  const { total = 0, bySeverity = {}, byTrigger = {}, worst = [] } = digest ?? {};
  const { severity, trigger } = line;
  // Sorting keeps the order of equals: the oldest of the most severe ones stay.
  const named = [...worst, line].sort((a, b) => compareSeverities(b.severity, a.severity));
  return {
    total: total + 1,
    bySeverity: { ...bySeverity, [severity]: (bySeverity[severity] ?? 0) + 1 },
    byTrigger: { ...byTrigger, [trigger]: (byTrigger[trigger] ?? 0) + 1 },
    worst: named.slice(0, NAMED_MAX),
  };
}
