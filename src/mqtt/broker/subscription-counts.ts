import type { SessionOwner } from "../session/session.ts";

/** Cost of subscriptions: their number is work per message, their levels and bytes are memory. */
export interface SubscriptionSpace {
  subscriptions: number;
  levels: number;
  bytes: number;
}

/** Max. subscriptions per API key or MQTT client, across its connections and sessions. */
export const CREDENTIAL_SUBSCRIPTIONS_MAX: Readonly<SubscriptionSpace> = {
  subscriptions: 5_000,
  levels: 50_000,
  bytes: 2 * 1024 * 1024,
};
/** Max. subscriptions of the API keys and MQTT clients of a tenant together. */
export const TENANT_SUBSCRIPTIONS_MAX: Readonly<SubscriptionSpace> = {
  subscriptions: 10_000,
  levels: 100_000,
  bytes: 4 * 1024 * 1024,
};
/** Max. levels in a filter of an API key or MQTT client. */
export const FILTER_LEVELS_MAX = 32;

const spaceOfFilter = (filter: string): SubscriptionSpace => ({
  subscriptions: 1,
  levels: filter.split("/").length,
  bytes: Buffer.byteLength(filter),
});

const nothing = (): SubscriptionSpace => ({ subscriptions: 0, levels: 0, bytes: 0 });

function add(to: SubscriptionSpace, { subscriptions, levels, bytes }: SubscriptionSpace, sign: 1 | -1): void {
  to.subscriptions += sign * subscriptions;
  to.levels += sign * levels;
  to.bytes += sign * bytes;
}

const fits = (used: SubscriptionSpace, more: SubscriptionSpace, max: Readonly<SubscriptionSpace>): boolean =>
  used.subscriptions + more.subscriptions <= max.subscriptions &&
  used.levels + more.levels <= max.levels &&
  used.bytes + more.bytes <= max.bytes;

/** Counts subscriptions of applications, with or without a durable session, by credential and tenant. */
export class SubscriptionCounts {
  readonly #credentials = new Map<string, SubscriptionSpace>();
  readonly #tenants = new Map<string, SubscriptionSpace>();
  /** Refused subscriptions since the start, by tenant. */
  readonly #refused = new Map<string, number>();

  add(owner: SessionOwner, filter: string): void {
    this.#change(owner, filter, 1);
  }

  remove(owner: SessionOwner, filter: string): void {
    this.#change(owner, filter, -1);
  }

  ofTenant(tenantId: string): Readonly<SubscriptionSpace> {
    return this.#tenants.get(tenantId) ?? nothing();
  }

  refusedOf(tenantId: string): number {
    return this.#refused.get(tenantId) ?? 0;
  }

  countRefused({ tenantId }: Pick<SessionOwner, "tenantId">, count: number): void {
    this.#refused.set(tenantId, this.refusedOf(tenantId) + count);
  }

  /** Returns a function that checks whether the next filter of a packet fits, in addition to the previous ones. */
  room({ tenantId, credentialId }: SessionOwner): (filter: string) => boolean {
    const asked = nothing();
    const ofCredential = this.#credentials.get(credentialId) ?? nothing();
    return (filter) => {
      const more = spaceOfFilter(filter);
      add(asked, more, 1);
      const hasRoom =
        fits(ofCredential, asked, CREDENTIAL_SUBSCRIPTIONS_MAX) &&
        fits(this.ofTenant(tenantId), asked, TENANT_SUBSCRIPTIONS_MAX);
      if (!hasRoom) add(asked, more, -1);
      return hasRoom;
    };
  }

  #change({ tenantId, credentialId }: SessionOwner, filter: string, sign: 1 | -1): void {
    const space = spaceOfFilter(filter);
    for (const [counts, id] of [
      [this.#credentials, credentialId],
      [this.#tenants, tenantId],
    ] as const) {
      const used = counts.get(id) ?? nothing();
      counts.set(id, used);
      add(used, space, sign);
      if (used.subscriptions === 0) counts.delete(id);
    }
  }
}
