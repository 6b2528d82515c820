import { withoutShare } from "../../../lib/mqtt/topic-filters.ts";
import type { InboundMessage, IntegrationSettings } from "../integrations.types.ts";

/*
 * Names values without a name by the part of the topic that differs between the topics of a device, so that each measurement gets its own key. For
 * `k/press/motor/temperature` of the device `press`, the key is `motor_temperature`.
 */

const PLACE = "{device}";

export interface TopicKey {
  readonly key: string;
  /** True if the topics of one device differ at this level. */
  readonly isOwn: boolean;
}

/** Returns whether the level is a wildcard of the filter or a placeholder of the template. */
function isOpen(levels: readonly string[], index: number): boolean {
  const rest = levels.indexOf("#");
  return levels[index] === "+" || (rest >= 0 && index >= rest);
}

const nameOf = (levels: readonly string[]): string => levels.filter((level) => level !== "").join("_");

/** Returns the differing levels: from the first differing level after the device to the end, otherwise those before the device. */
function differing(
  levels: readonly string[],
  device: number,
  forms: ReadonlyArray<readonly string[]>,
): readonly string[] {
  const first = levels.findIndex((_, index) => index > device && forms.every((form) => isOpen(form, index)));
  if (first >= 0) return levels.slice(first);
  const isLast = nameOf(levels.slice(device + 1)) === "";
  if (!isLast) return [];
  return levels.filter((_, index) => index < device && forms.every((form) => isOpen(form, index)));
}

/** Returns a function that names the values of a topic; undefined for a message without a topic. */
export function topicKeys({ mqtt }: IntegrationSettings): (message: InboundMessage) => TopicKey | undefined {
  const filters = [mqtt?.topicFilter ?? []].flat().map(withoutShare);
  // Topics of two filters differ in levels that each of them has fixed.
  const filter = filters.length === 1 ? filters[0]?.split("/") : undefined;
  const template = mqtt?.topicTemplate?.split("/");
  return ({ topic, topicDevice }) => {
    const levels = topic?.split("/") ?? [];
    const last = levels.findLast((level) => level !== "");
    if (topic === undefined || last === undefined) return undefined;
    const device = template
      ? template.findIndex((level) => level.includes(PLACE))
      : levels.indexOf(topicDevice ?? "");
    const forms = [filter, template].filter((form) => form !== undefined);
    const isKnown = device >= 0 && topicDevice !== undefined && (filters.length > 0 || last !== topicDevice);
    const name = isKnown ? nameOf(differing(levels, device, forms)) : "";
    if (name !== "") return { key: name, isOwn: true };
    return { key: last === topicDevice ? "value" : last, isOwn: false };
  };
}
