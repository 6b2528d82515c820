import { MIB } from "../../lib/core/units.ts";
import { filterMatches } from "../../lib/mqtt/topic-filters.ts";
import type { RetainedMessage } from "../session/session-file.ts";
import { spaceOf } from "../topics/topics.ts";

/** Limits of retained messages of a tenant, which are kept in memory. */
const perSpaceMax = { messages: 10_000, bytes: 16 * MIB };
/** Bytes reserved for each tenant. */
const OWN_BYTES = MIB;
/** Max. bytes beyond the reserved ones, shared by all tenants. */
const COMMON_BYTES_MAX = 64 * MIB;

const commonOf = (bytes: number): number => Math.max(0, bytes - OWN_BYTES);

interface Space {
  readonly messages: Map<string, RetainedMessage>;
  bytes: number;
}

const bytesOf = (message: RetainedMessage | undefined): number =>
  message === undefined ? 0 : message.topic.length + message.payload.length;

/** Retained messages by topic space, with a limit per space and a limit for the shared bytes. */
export class RetainedMessages {
  readonly #spaces = new Map<string, Space>();
  #commonBytes = 0;

  get(topic: string): RetainedMessage | undefined {
    return this.#spaces.get(spaceOf(topic))?.messages.get(topic);
  }

  /** Keeps a message; an empty payload deletes it. Returns false at a limit: then the previous message is outdated and is deleted. */
  set(message: RetainedMessage): boolean {
    const name = spaceOf(message.topic);
    const space = this.#spaces.get(name) ?? { messages: new Map(), bytes: 0 };
    const before = space.messages.get(message.topic);
    const wanted = message.payload.length === 0 ? 0 : bytesOf(message);
    const more = wanted - bytesOf(before);
    const isFull =
      (before === undefined && space.messages.size >= perSpaceMax.messages) ||
      space.bytes + more > perSpaceMax.bytes ||
      this.#commonBytes + commonOf(space.bytes + more) - commonOf(space.bytes) > COMMON_BYTES_MAX;
    const isKept = wanted === 0 || more <= 0 || !isFull;
    const change = isKept ? more : -bytesOf(before);
    if (wanted === 0 || !isKept) space.messages.delete(message.topic);
    else space.messages.set(message.topic, message);
    this.#commonBytes += commonOf(space.bytes + change) - commonOf(space.bytes);
    space.bytes += change;
    if (space.messages.size === 0) this.#spaces.delete(name);
    else this.#spaces.set(name, space);
    return isKept;
  }

  /**
   * Yields the messages whose topics match a filter, both in internal form. A message that changes before its step is yielded in its new state, and
   * a deleted one is skipped.
   */
  *matching(filter: string): Generator<RetainedMessage> {
    const topics = /[+#]/.test(filter)
      ? this.topicsOf(spaceOf(filter)).filter((topic) => filterMatches(filter, topic))
      : [filter];
    for (const topic of topics) {
      const message = this.get(topic);
      if (message !== undefined) yield message;
    }
  }

  topicsOf(space: string): string[] {
    return [...(this.#spaces.get(space)?.messages.keys() ?? [])];
  }
}
