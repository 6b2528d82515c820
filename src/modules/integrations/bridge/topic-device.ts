import { invalid } from "../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import { reasonExcerpt } from "../../../lib/strings/excerpt.ts";
import type { MqttSettings } from "../integrations.types.ts";

/** Max. characters of a topic; patterns search it, and each event stores it. */
export const TOPIC_LENGTH_MAX = 1024;
const PATTERN_LENGTH_MAX = 500;
/**
 * Max. steps of the compiled pattern, with repetitions expanded. Each step may run at each character, which takes up to 25 ms for the longest topic.
 */
const PATTERN_STEPS_MAX = 1_000;
const PLACE = "{device}";

/** Returns the device's id in a topic; undefined if the topic does not match. */
export type TopicDevice = (topic: string) => string | undefined;

type Level = (text: string) => string | boolean;

function levelOf(level: string): Level {
  if (level === "+") return () => true;
  const index = level.indexOf(PLACE);
  if (index < 0) return (text) => text === level;
  const before = level.slice(0, index);
  const after = level.slice(index + PLACE.length);
  return (text) =>
    text.length > level.length - PLACE.length && text.startsWith(before) && text.endsWith(after)
      ? text.slice(before.length, text.length - after.length)
      : false;
}

function compileTemplate(template: string): TopicDevice {
  if (template.split(PLACE).length !== 2) throw invalid("integration.topic_template", { place: PLACE });
  const parts = template.split("/");
  const isOpen = parts.at(-1) === "#";
  const levels = (isOpen ? parts.slice(0, -1) : parts).map(levelOf);
  return (topic) => {
    const input = topic.split("/");
    if (isOpen ? input.length < levels.length : input.length !== levels.length) return undefined;
    let device: string | undefined;
    for (const [index, level] of levels.entries()) {
      const found = level(input[index] ?? "");
      if (found === false) return undefined;
      if (typeof found === "string") device = found;
    }
    return device;
  };
}

/**
 * Compiles a pattern. Admins write patterns and any publisher writes topics, so a pattern must not block the program: RE2's time is proportional to
 * topic and (limited) pattern size, at the cost of look-around and back-references.
 */
async function compilePattern(pattern: string): Promise<TopicDevice> {
  if (pattern.length > PATTERN_LENGTH_MAX)
    throw invalid("integration.topic_pattern_long", { max: PATTERN_LENGTH_MAX });
  const { RE2JS } = await import("re2js");
  const compiled = compile();
  if (compiled.groupCount() === 0) throw invalid("integration.topic_pattern_group");
  if (compiled.programSize() > PATTERN_STEPS_MAX) throw invalid("integration.topic_pattern_repeats");
  const group = "device" in compiled.namedGroups() ? "device" : 1;
  return (topic) => {
    const matcher = compiled.matcher(topic);
    if (!matcher.find()) return undefined;
    // Either a name or a number, which are two functions to the types.
    const found = typeof group === "string" ? matcher.group(group) : matcher.group(group);
    return found === "" ? undefined : (found ?? undefined);
  };

  function compile() {
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw invalid("integration.topic_pattern", { reason: reasonExcerpt(reason) });
    }
  }
}

/** Checks user-defined topic settings. @throws DomainError `invalid` for an invalid pattern or template */
export async function ensureTopicDevice(settings: unknown): Promise<void> {
  const mqtt = isJsonObject(settings) ? settings.mqtt : undefined;
  if (!isJsonObject(mqtt)) return;
  const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);
  const topicTemplate = textOf(mqtt.topicTemplate);
  const topicDeviceRegex = textOf(mqtt.topicDeviceRegex);
  await compileTopicDevice({
    ...(topicTemplate !== undefined && { topicTemplate }),
    ...(topicDeviceRegex !== undefined && { topicDeviceRegex }),
  });
}

/** Compiles the settings that find a device in a topic. @throws DomainError `invalid` for an invalid pattern or template */
export async function compileTopicDevice(
  settings: Pick<MqttSettings, "topicTemplate" | "topicDeviceRegex">,
): Promise<TopicDevice> {
  const { topicTemplate, topicDeviceRegex } = settings;
  const find = topicDeviceRegex
    ? await compilePattern(topicDeviceRegex)
    : topicTemplate
      ? compileTemplate(topicTemplate)
      : () => undefined;
  return (topic) => (topic.length > TOPIC_LENGTH_MAX ? undefined : find(topic));
}

/** Returns the configured topic filters as a list. */
export const filtersOf = ({ topicFilter }: Pick<MqttSettings, "topicFilter">): readonly string[] =>
  typeof topicFilter === "string" ? [topicFilter] : topicFilter;
