import type { MqttSettings } from "../integrations.types.ts";

export const filtersOf = ({ topicFilter }: MqttSettings): readonly string[] =>
  typeof topicFilter === "string" ? [topicFilter] : topicFilter;
