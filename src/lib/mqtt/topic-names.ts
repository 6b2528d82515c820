/** Max. bytes of a topic in MQTT packets. */
const TOPIC_BYTES_MAX = 65_535;

/** Returns whether a client can publish on the topic. */
export const isTopicName = (topic: string): boolean =>
  topic !== "" &&
  !/[+#\p{Cc}]/u.test(topic) &&
  !topic.startsWith("$") &&
  Buffer.byteLength(topic) <= TOPIC_BYTES_MAX;
