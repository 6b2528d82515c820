import type { DeviceId, TenantId } from "../lib/core/ids.ts";
import { isReservedTopic } from "../lib/mqtt/reserved-topics.ts";
import { withoutShare } from "../lib/mqtt/topic-filters.ts";
import { TopicTree } from "../lib/mqtt/topic-tree.ts";
import type { Client } from "./client.ts";
import { open } from "./envelope.ts";
import type { MqttApplication, PublishedMessage } from "./mqtt.types.ts";
import { applicationSpace, tenantOfSpace, tenantSpace } from "./principal.ts";
import type { SessionStore } from "./session-store.ts";
import { fromBrokerTopic, toBroker } from "./topics.ts";

/** Filters of the clients in one space, and the devices that they may see. */
interface Interest {
  /** Returns whether the key may see a device, asked anew for each message; `undefined` for a key that may see all devices. */
  readonly maySee: ((deviceId: DeviceId) => boolean) | undefined;
  readonly filters: TopicTree<string, true>;
}

export type Publish = (
  space: string,
  message: { topic: string; payload: Uint8Array; qos: 0 | 1; retain: boolean },
) => Promise<void>;

/**
 * Identifies who of a tenant's applications wants to hear of what, so that a message nobody listens to is never made. Keys with
 * access to all devices share the space of their tenant; each of the others has its own.
 */
export class Applications {
  readonly #publish: Publish;
  readonly #store: () => SessionStore | undefined;
  readonly #connected = new Set<Client>();
  /** Tenant → its spaces with subscriptions. */
  readonly #tenants = new Map<TenantId, Map<string, Interest>>();
  /** Spaces whose subscriptions have changed since somebody asked: learned once then, however many changes there were. */
  readonly #changed = new Map<string, { readonly tenantId: TenantId; readonly maySee: Interest["maySee"] }>();

  constructor(publish: Publish, store: () => SessionStore | undefined) {
    this.#publish = publish;
    this.#store = store;
  }

  /** Returns whether no application listens to anything. */
  get idle(): boolean {
    if (this.#changed.size > 0) this.#learnChanged();
    return this.#tenants.size === 0;
  }

  /** Sessions that outlived a restart still want what they subscribed to. */
  start(): void {
    const spaces = new Set([...(this.#store()?.all() ?? [])].map(({ space }) => space));
    for (const space of spaces) {
      const tenantId = tenantOfSpace(space);
      if (tenantId !== undefined) this.#learn(space, tenantId, undefined);
    }
  }

  /** The application has connected, subscribed, unsubscribed or left. */
  changed(client: Client, isHere: boolean): void {
    const { application } = client.principal;
    if (application === undefined) return;
    if (isHere) this.#connected.add(client);
    else this.#connected.delete(client);
    const { tenantId } = application;
    this.#changed.set(applicationSpace(application), { tenantId, maySee: visibilityOf(application) });
  }

  /** Returns those whose keys are no longer good, or no longer see what they saw when they connected. */
  *revoked(): Iterable<string> {
    for (const { principal } of this.#connected)
      if (principal.application?.revoked === true) yield principal.application.applicationId;
  }

  /** Publishes to all applications of the tenant that may see every device. */
  publish(
    tenantId: TenantId,
    topic: string,
    payload: Uint8Array,
    options: { readonly qos: 0 | 1; readonly retain: boolean },
  ): Promise<void> {
    return this.#publish(tenantSpace(tenantId), { topic, payload, ...options });
  }

  /** Returns the retained messages of the tenant that a filter matches. */
  retained(tenantId: TenantId, filter: string): Omit<PublishedMessage, "retain">[] {
    const found = this.#store()?.retained.matching(toBroker(tenantSpace(tenantId), filter)) ?? [];
    return Array.from(found, ({ topic, payload, qos }) => ({
      topic: fromBrokerTopic(topic),
      payload: open(payload).payload,
      qos,
    }));
  }

  /** Publishes to all subscribers of the device; `payload` is built once, and only if there are any. */
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

  /** Returns the filters in a space that are subscribed to on the server's own topics. */
  #filtersOf(space: string): Set<string> {
    const filters = new Set<string>();
    for (const client of this.#connected)
      if (client.session.space === space) for (const filter of client.filters()) filters.add(filter);
    for (const { subscriptions } of this.#store()?.inSpace(space) ?? [])
      for (const filter of subscriptions.keys()) filters.add(fromBrokerTopic(filter));
    // Shared ones are matched by the filter in them.
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
