import type { Qos } from "../lib/mqtt/packets.ts";
import { clientFilterMatches } from "../lib/mqtt/reserved-topics.ts";
import { withoutShare } from "../lib/mqtt/topic-filters.ts";

interface ClientSubscription {
  readonly qos: Qos;
  readonly identifier: number;
}

const SHARE = "$share/";

export const isShared = (filter: string): boolean => filter.startsWith(SHARE);

/** Subscriptions of one client, as it names them. */
export class ClientFilters {
  readonly #filters = new Map<string, ClientSubscription>();
  /** Filters that are in effect: what is published before would be lost. */
  readonly #active = new Set<string>();
  #hasIdentifiers = false;

  /** Returns whether some subscription had an identifier. */
  get hasIdentifiers(): boolean {
    return this.#hasIdentifiers;
  }

  get size(): number {
    return this.#filters.size;
  }

  names(): Iterable<string> {
    return this.#filters.keys();
  }

  /** Returns its subscriptions with the QoS that each was granted. */
  *granted(): Iterable<readonly [filter: string, qos: Qos]> {
    for (const [filter, { qos }] of this.#filters) yield [filter, qos];
  }

  has(filter: string): boolean {
    return this.#filters.has(filter);
  }

  add(filter: string, { qos, identifier }: ClientSubscription): void {
    this.#filters.set(filter, { qos, identifier });
    if (identifier > 0) this.#hasIdentifiers = true;
  }

  /** Puts a subscription into effect, unless it was removed meanwhile. */
  activate(filter: string): void {
    if (this.#filters.has(filter)) this.#active.add(filter);
  }

  delete(filter: string): void {
    this.#filters.delete(filter);
    this.#active.delete(filter);
  }

  /** Returns whether a message on the topic reaches the client by some subscription. */
  listensTo(topic: string): boolean {
    for (const filter of this.#active) if (clientFilterMatches(filter, topic)) return true;
    return false;
  }

  /** Returns the highest QoS and all identifiers of the subscriptions that match. */
  match(topic: string): { readonly qos: Qos; readonly identifiers: number[] } {
    let qos: Qos = 0;
    const identifiers: number[] = [];
    for (const [filter, subscription] of this.#filters) {
      if (!clientFilterMatches(withoutShare(filter), topic)) continue;
      if (subscription.qos > qos) qos = subscription.qos;
      if (subscription.identifier > 0) identifiers.push(subscription.identifier);
    }
    return { qos, identifiers };
  }
}
