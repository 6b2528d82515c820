import type { PublishPacket } from "../../lib/mqtt/packets.ts";
import type { Text } from "../../lib/texts/text.ts";

/**
 * - `taken`: it is on the disk, or was judged and its failure is;
 * - `later`: nothing can be taken now, the broker is to send it again.
 */
export type Outcome = { readonly kind: "taken" } | { readonly kind: "later"; readonly reason: Text };

interface Known {
  readonly hash: bigint;
  readonly outcome: Promise<Outcome>;
}

const hashOf = ({ topic, payload }: PublishPacket): bigint =>
  BigInt(Bun.hash(payload, BigInt(Bun.hash(topic)) & 0xffff_ffffn));

/**
 * Messages of a session with a broker that were taken and not acknowledged yet, over all its connections: after the loss of one
 * the broker sends such a message again, under the same packet id, and it is not taken twice. Nothing is known of one any more
 * once it is acknowledged: its id may be another's by then. Lost when the program ends.
 */
export class InboundSession {
  /** Keyed by packet id. */
  readonly #known = new Map<number, Known>();
  /** Packet ids of quality 2 that were received and not yet released. */
  readonly #held = new Set<number>();

  /** The broker knows nothing of earlier connections: its packet ids begin anew. */
  forget(): void {
    this.#known.clear();
    this.#held.clear();
  }

  /** Takes the message by `take`, unless it was taken before. */
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

  /** The broker will not send it again: acknowledged, or of quality 2 and released. */
  release(packetId: number): void {
    this.#drop(packetId);
  }

  #drop(packetId: number): void {
    this.#known.delete(packetId);
    this.#held.delete(packetId);
  }
}
