import { ProtocolError, protocolError, Reason } from "../../lib/mqtt/reason.ts";

/** Max. topic aliases of a client per connection, announced in the CONNACK. */
export const TOPIC_ALIAS_MAX = 16;
/** Max. bytes of these topics in total. Topics of devices are short, and connections must stay small. */
const TOPIC_BYTES_MAX = 4_096;

/** Topic aliases of an MQTT 5 client on its connection (MQTT 5, 3.3.2.3.4), each topic with its length in front. */
export class TopicAliases {
  readonly #topics = new Map<number, Uint8Array>();
  #bytes = 0;

  /**
   * Remembers the topic of a PUBLISH under its alias, or returns the one that the alias stands for if the topic is empty.
   * @param topic the topic as the packet has it, with its two bytes of length in front; it is copied
   * @throws ProtocolError `topicAliasInvalid`, `quotaExceeded`, and `protocolError` for an alias that stands for nothing
   */
  resolve(alias: number, topic: Uint8Array): Uint8Array {
    if (alias === 0 || alias > TOPIC_ALIAS_MAX)
      throw new ProtocolError(Reason.topicAliasInvalid, "topic alias is out of range");
    const before = this.#topics.get(alias);
    if (topic.length === 2) {
      if (before === undefined) throw protocolError("topic alias stands for no topic");
      return before;
    }
    this.#bytes += topic.length - (before?.length ?? 0);
    if (this.#bytes > TOPIC_BYTES_MAX)
      throw new ProtocolError(Reason.quotaExceeded, "topics with an alias are too long");
    const copy = topic.slice();
    this.#topics.set(alias, copy);
    return copy;
  }
}
