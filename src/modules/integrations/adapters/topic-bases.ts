import type { IntegrationSettings } from "../integrations.types.ts";

/** Returns the levels of each topic filter before its first wildcard; without a wildcard, all but the last. */
export function topicBases({ mqtt }: IntegrationSettings): string[][] {
  const filters = [mqtt?.topicFilter ?? []].flat();
  return filters
    .map((filter) => filter.replace(/^\$share\/[^/]+\//, "").split("/"))
    .map((levels) => {
      const end = levels.findIndex((level) => level === "+" || level === "#");
      return end < 0 ? levels.slice(0, -1) : levels.slice(0, end);
    })
    .filter((base) => base.length > 0);
}
