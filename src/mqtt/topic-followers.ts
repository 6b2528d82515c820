import type { TenantId } from "../lib/ids.ts";
import { filterMatches } from "../lib/mqtt/topic-filters.ts";
import type { LocalMessage } from "../modules/mqtt-clients/mqtt-clients.types.ts";

type Take = (message: LocalMessage) => Promise<void>;

interface Follower {
  readonly filters: readonly string[];
  readonly take: Take;
  /** Topics that are followed in addition to the filters; they may change. */
  readonly more?: { has(topic: string): boolean } | undefined;
}

/**
 * Max. messages of a tenant that are processed simultaneously, each counted once per follower. Further messages wait in order, unacknowledged, so
 * their connections are not read; otherwise a client could multiply its messages by the number of integrations.
 */
const IN_WORK_MAX = 1_000;

class Followers {
  readonly followers = new Set<Follower>();
  #inWork = 0;
  readonly #waiting: Array<() => void> = [];

  /** Resolves when all have taken the message. Its payload is valid only during the call. */
  offer(takes: readonly Take[], message: LocalMessage): Promise<void> {
    if (this.#hasRoom() && this.#waiting.length === 0) return this.#begin(takes, message);
    const kept = { ...message, payload: new Uint8Array(message.payload) };
    return new Promise((resolve) => this.#waiting.push(() => resolve(this.#begin(takes, kept))));
  }

  #hasRoom(): boolean {
    return this.#inWork < IN_WORK_MAX;
  }

  #begin(takes: readonly Take[], message: LocalMessage): Promise<void> {
    this.#inWork += takes.length;
    return Promise.all(takes.map((take) => take(message).finally(() => this.#ended()))).then(() => undefined);
  }

  #ended(): void {
    this.#inWork--;
    while (this.#hasRoom() && this.#waiting.length > 0) this.#waiting.shift()?.();
  }
}

/** Functions that take the messages of MQTT clients inside the program: local mappings of integrations. */
export class TopicFollowers {
  readonly #tenants = new Map<TenantId, Followers>();

  /** Adds a follower. Returns the function that removes it. */
  add(tenantId: TenantId, follower: Follower): () => void {
    const ofTenant = this.#tenants.get(tenantId) ?? new Followers();
    this.#tenants.set(tenantId, ofTenant);
    ofTenant.followers.add(follower);
    return () => {
      ofTenant.followers.delete(follower);
      if (ofTenant.followers.size === 0 && this.#tenants.get(tenantId) === ofTenant)
        this.#tenants.delete(tenantId);
    };
  }

  /** Returns `undefined` if nothing follows the topic; otherwise resolves when all have taken the message. */
  offer(tenantId: TenantId, message: LocalMessage): Promise<void> | undefined {
    const ofTenant = this.#tenants.get(tenantId);
    if (ofTenant === undefined) return undefined;
    const takes = [...ofTenant.followers]
      .filter(
        ({ filters, more }) =>
          more?.has(message.topic) || filters.some((filter) => filterMatches(filter, message.topic)),
      )
      .map(({ take }) => take);
    return takes.length === 0 ? undefined : ofTenant.offer(takes, message);
  }
}
