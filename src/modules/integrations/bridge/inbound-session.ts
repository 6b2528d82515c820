import type { Publish } from "./publish-packet.ts";

/**
 * - `taken`: it is on the disk, or was judged and its failure is;
 * - `later`: nothing can be taken now, the broker is to send it again.
 */
export type Outcome = { readonly kind: "taken" } | { readonly kind: "later"; readonly reason: string };

interface Known {
  readonly hash: bigint;
  readonly outcome: Promise<Outcome>;
}

const hashOf = ({ topic, payload }: Publish): bigint =>
  BigInt(Bun.hash(payload, BigInt(Bun.hash(topic)) & 0xffff_ffffn));

/**
 * What was taken and not acknowledged yet of a session with a broker, over all its connections: after the loss of one the broker sends
 * such a message again, under the same packet id, and it is not taken twice. Nothing is known of one any more once it is acknowledged:
 * its id may be another's by then. Lost when the program ends.
 */
export class InboundSession {
  /** By packet id. */
  readonly #known = new Map<number, Known>();
  /** Packet ids of quality 2 that were received and not yet released. */
  readonly #held = new Set<number>();

  /** The broker knows nothing of earlier connections: its packet ids begin anew. */
  forget(): void {
    this.#known.clear();
    this.#held.clear();
  }

  /** Takes the message by `take`, unless it was taken before. */
  take(message: Publish, take: () => Promise<Outcome>): Promise<Outcome> {
    const { messageId, dup, qos } = message;
    if (messageId === undefined) return take();
    const hash = hashOf(message);
    const known = this.#known.get(messageId);
    if (known !== undefined && known.hash === hash && (dup || this.#held.has(messageId)))
      return known.outcome;
    const outcome = take();
    this.#known.set(messageId, { hash, outcome });
    if (qos === 2) this.#held.add(messageId);
    void outcome.then(({ kind }) => {
      if (kind === "later" && this.#known.get(messageId)?.outcome === outcome) this.#drop(messageId);
    });
    return outcome;
  }

  /** The broker will not send it again: acknowledged, or of quality 2 and released. */
  release(messageId: number): void {
    this.#drop(messageId);
  }

  #drop(messageId: number): void {
    this.#known.delete(messageId);
    this.#held.delete(messageId);
  }
}
