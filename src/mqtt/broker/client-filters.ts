import type { Qos } from "../../lib/mqtt/packets.ts";
import { clientFilterMatches } from "../../lib/mqtt/reserved-topics.ts";
import { withoutShare } from "../../lib/mqtt/topic-filters.ts";

interface ClientSubscription {
  readonly qos: Qos;
  readonly identifier: number;
}

const SHARE = "$share/";

export const isShared = (filter: string): boolean => filter.startsWith(SHARE);

/** Subscriptions of one client, in the notation of the client. */
export class ClientFilters {
  readonly #filters = new Map<string, ClientSubscription>();
  /** Active filters. Messages published before the activation would be lost. */
  readonly #active = new Set<string>();
  #hasIdentifiers = false;

  /** Returns whether any subscription has had an identifier. */
  get hasIdentifiers(): boolean {
    return this.#hasIdentifiers;
  }

  get size(): number {
    return this.#filters.size;
  }

  names(): Iterable<string> {
    return this.#filters.keys();
  }

  /** Returns the subscriptions with their granted QoS. */
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

  /** Activates a subscription, unless it was removed meanwhile. */
  activate(filter: string): void {
    if (this.#filters.has(filter)) this.#active.add(filter);
  }

  delete(filter: string): void {
    this.#filters.delete(filter);
    this.#active.delete(filter);
  }

  /** Returns whether any subscription matches the topic. */
  listensTo(topic: string): boolean {
    for (const filter of this.#active) if (clientFilterMatches(filter, topic)) return true;
    return false;
  }

  /** Returns the highest QoS and all identifiers of the matching subscriptions. */
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
