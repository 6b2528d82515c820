import type { PublishPacket } from "../../lib/mqtt/packets.ts";
import type { Text } from "../../lib/texts/text.ts";

/** - `taken`: the message, or its refusal, is on disk; - `later`: nothing can be accepted now, and the broker must send the message again. */
export type Outcome = { readonly kind: "taken" } | { readonly kind: "later"; readonly reason: Text };

interface Known {
  readonly hash: bigint;
  readonly outcome: Promise<Outcome>;
}

const hashOf = ({ topic, payload }: PublishPacket): bigint =>
  BigInt(Bun.hash(payload, BigInt(Bun.hash(topic)) & 0xffff_ffffn));

/**
 * Messages of a session that were accepted but not yet acknowledged, across connections. After a lost connection, the broker sends such a message
 * again with the same packet id, and it is not processed twice. An acknowledged message is forgotten, because its packet id may be used again. The
 * content is lost when the program ends.
 */
export class InboundSession {
  /** Keyed by packet id. */
  readonly #known = new Map<number, Known>();
  /** Packet ids of QoS 2 messages that were received and not yet released. */
  readonly #held = new Set<number>();

  /** Forgets all messages, because the broker started a new session. */
  forget(): void {
    this.#known.clear();
    this.#held.clear();
  }

  /** Processes a message with `take`, unless it was accepted before. */
  take(message: PublishPacket, take: () => Promise<Outcome>): Promise<Outcome> {
    const { packetId, duplicate, qos } = message;
    if (packetId === 0) return take();
    const hash = hashOf(message);
    const existingKnown = this.#known.get(packetId);
    if (existingKnown !== undefined && existingKnown.hash === hash && (duplicate || this.#held.has(packetId)))
      return existingKnown.outcome;
    const outcome = take();
    this.#known.set(packetId, { hash, outcome });
    if (qos === 2) this.#held.add(packetId);
    void outcome.then(({ kind }) => {
      if (kind === "later" && this.#known.get(packetId)?.outcome === outcome) this.#drop(packetId);
    });
    return outcome;
  }

  /** Forgets a message that the broker does not send again: acknowledged, or released at QoS 2. */
  release(packetId: number): void {
    this.#drop(packetId);
  }

  #drop(packetId: number): void {
    this.#known.delete(packetId);
    this.#held.delete(packetId);
  }
}
