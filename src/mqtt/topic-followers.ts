import type { TenantId } from "../lib/ids.ts";
import { filterMatches } from "../lib/mqtt/topic-filters.ts";
import type { LocalMessage } from "../modules/mqtt-clients/mqtt-clients.types.ts";

type Take = (message: LocalMessage) => Promise<void>;

interface Follower {
  readonly filters: readonly string[];
  readonly take: Take;
  /** Topics that are followed beside the filters; they may change. */
  readonly more?: { has(topic: string): boolean } | undefined;
}

/** Functions that take the messages of MQTT clients inside the program: local mappings of integrations. */
export class TopicFollowers {
  readonly #followers = new Map<TenantId, Set<Follower>>();

  /** Adds a follower. Returns the function that removes it. */
  add(tenantId: TenantId, follower: Follower): () => void {
    const ofTenant = this.#followers.get(tenantId) ?? new Set();
    this.#followers.set(tenantId, ofTenant.add(follower));
    return () => {
      ofTenant.delete(follower);
      if (ofTenant.size === 0 && this.#followers.get(tenantId) === ofTenant) this.#followers.delete(tenantId);
    };
  }

  /** Returns `undefined` if nothing follows the topic; otherwise resolves when all have taken the message. */
  offer(tenantId: TenantId, message: LocalMessage): Promise<void> | undefined {
    const ofTenant = this.#followers.get(tenantId);
    if (ofTenant === undefined) return undefined;
    const taking: Promise<void>[] = [];
    for (const { filters, take, more } of ofTenant)
      if (more?.has(message.topic) || filters.some((filter) => filterMatches(filter, message.topic)))
        taking.push(take(message));
    return taking.length === 0 ? undefined : Promise.all(taking).then(() => undefined);
  }
}
