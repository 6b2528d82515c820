import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { isReservedTopic } from "../../lib/mqtt/reserved-topics.ts";
import { withoutShare } from "../../lib/mqtt/topic-filters.ts";
import { TopicTree } from "../../lib/mqtt/topic-tree.ts";
import type { Client } from "../broker/client.ts";
import type { MqttApplication, PublishedMessage } from "../mqtt.types.ts";
import type { SessionStore } from "../session/session-store.ts";
import { open } from "./envelope.ts";
import { applicationSpace, tenantOfSpace, tenantSpace } from "./principal.ts";
import { fromBrokerTopic, toBroker } from "./topics.ts";

/** Filters of the clients in one space, and their visible devices. */
interface Interest {
  /** Returns whether the key may see a device, checked for each message; undefined for a key with access to all devices. */
  readonly maySee: ((deviceId: DeviceId) => boolean) | undefined;
  readonly filters: TopicTree<string, true>;
}

export type Publish = (
  space: string,
  message: { topic: string; payload: Uint8Array; qos: 0 | 1; retain: boolean },
) => Promise<void>;

/**
 * Finds interested applications of a tenant, so that a message without listeners is never created. Keys with access to all devices share the space
 * of their tenant; other keys have their own.
 */
export class Applications {
  readonly #publish: Publish;
  readonly #store: () => SessionStore | undefined;
  readonly #connected = new Set<Client>();
  /** Tenant → its spaces with subscriptions. */
  readonly #tenants = new Map<TenantId, Map<string, Interest>>();
  /** Spaces with changed subscriptions, which are read when they are next needed. */
  readonly #changed = new Map<string, { readonly tenantId: TenantId; readonly maySee: Interest["maySee"] }>();

  constructor(publish: Publish, store: () => SessionStore | undefined) {
    this.#publish = publish;
    this.#store = store;
  }

  /** Returns whether no application is subscribed to anything. */
  get idle(): boolean {
    if (this.#changed.size > 0) this.#learnChanged();
    return this.#tenants.size === 0;
  }

  /** Restores the interests of sessions that outlived a restart. */
  start(): void {
    const spaces = new Set([...(this.#store()?.all() ?? [])].map(({ space }) => space));
    for (const space of spaces) {
      const tenantId = tenantOfSpace(space);
      if (tenantId !== undefined) this.#learn(space, tenantId, undefined);
    }
  }

  /** Records that an application has connected, subscribed, unsubscribed or disconnected. */
  changed(client: Client, isHere: boolean): void {
    const { application } = client.principal;
    if (application === undefined) return;
    if (isHere) this.#connected.add(client);
    else this.#connected.delete(client);
    const { tenantId } = application;
    this.#changed.set(applicationSpace(application), { tenantId, maySee: visibilityOf(application) });
  }

  /** Returns the clients whose keys are invalid, or see other devices than when they connected. */
  *revoked(): Iterable<string> {
    for (const { principal } of this.#connected)
      if (principal.application?.revoked === true) yield principal.application.applicationId;
  }

  /** Publishes to all applications of the tenant with access to every device. */
  publish(
    tenantId: TenantId,
    topic: string,
    payload: Uint8Array,
    options: { readonly qos: 0 | 1; readonly retain: boolean },
  ): Promise<void> {
    return this.#publish(tenantSpace(tenantId), { topic, payload, ...options });
  }

  /** Returns the retained messages of the tenant that match a filter. */
  retained(tenantId: TenantId, filter: string): Omit<PublishedMessage, "retain">[] {
    const found = this.#store()?.retained.matching(toBroker(tenantSpace(tenantId), filter)) ?? [];
    return Array.from(found, ({ topic, payload, qos }) => ({
      topic: fromBrokerTopic(topic),
      payload: open(payload).payload,
      qos,
    }));
  }

  /** Publishes to all subscribers of the device. `payload` is built once, and only if there are any. */
  async publishToSubscribers(
    device: { readonly tenantId: TenantId; readonly deviceId: DeviceId },
    topic: string,
    payload: () => Uint8Array,
  ): Promise<void> {
    if (this.#changed.size > 0) this.#learnChanged();
    let encoded: Uint8Array | undefined;
    for (const [space, interest] of this.#tenants.get(device.tenantId) ?? []) {
      if (interest.maySee?.(device.deviceId) === false) continue;
      if (!interest.filters.hasMatch(topic)) continue;
      encoded ??= payload();
      await this.#publish(space, { topic, payload: encoded, qos: 1, retain: false });
    }
  }

  #learnChanged(): void {
    for (const [space, { tenantId, maySee }] of this.#changed) this.#learn(space, tenantId, maySee);
    this.#changed.clear();
  }

  /** Returns the subscribed filters of a space on topics of the server. */
  #filtersOf(space: string): Set<string> {
    const filters = new Set<string>();
    for (const client of this.#connected)
      if (client.session.space === space) for (const filter of client.filters()) filters.add(filter);
    for (const { subscriptions } of this.#store()?.inSpace(space) ?? [])
      for (const filter of subscriptions.keys()) filters.add(fromBrokerTopic(filter));
    // Shared subscriptions are matched by the filter that they contain.
    return new Set([...filters].map(withoutShare).filter(isReservedTopic));
  }

  #learn(space: string, tenantId: TenantId, maySee: Interest["maySee"]): void {
    const filters = this.#filtersOf(space);
    const spaces = this.#tenants.get(tenantId) ?? new Map<string, Interest>();
    if (filters.size === 0) spaces.delete(space);
    else {
      const tree = new TopicTree<string, true>();
      for (const filter of filters) tree.set(filter, "", true);
      spaces.set(space, { maySee, filters: tree });
    }
    if (spaces.size === 0) this.#tenants.delete(tenantId);
    else this.#tenants.set(tenantId, spaces);
  }
}

function visibilityOf({ caller }: MqttApplication): Interest["maySee"] {
  if (caller === undefined || caller.devices === "all") return undefined;
  return (deviceId) => caller.devices === "all" || caller.devices.has(deviceId);
}
