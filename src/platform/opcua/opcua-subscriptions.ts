import {
  AttributeIds,
  type ClientSession,
  type ClientSessionPublishService,
  type ClientSessionRawSubscriptionService,
  type DataValue,
  MonitoringMode,
  PublishRequest,
  type PublishResponse,
  promoteOpaqueStructureInNotificationData,
  TimestampsToReturn,
} from "node-opcua-client";
import { messageOf } from "../../lib/core/error-message.ts";
import type { OpcUaChange, OpcUaChanges, OpcUaRead, OpcUaWatch, OpcUaWatched } from "./opcua.calls.ts";
import { readOf } from "./opcua-variants.ts";

/** Publishing intervals: the first for variables with a sampling interval below the second. */
const PUBLISHING_MS = [100, 500] as const;
/** Keep-alive interval, and the lifetime after which the server forgets a gateway that was killed. */
const KEEP_ALIVE_MS = 2_000;
const LIFETIME_MS = 30_000;
/** Timeout of publish requests, longer than any server may delay a response. */
const PUBLISH_RESPONSE_MS = 60_000;
const PUBLISH_REQUESTS_MAX = 10;
/** Min. pause between publish requests, so that a server that responds immediately does not occupy the thread. */
const PUBLISH_PAUSE_MS = 20;
const NOTIFICATIONS_MAX = 1_000;
/** Max. variables per call if the server announces no limit. */
const ITEMS_PER_CALL = 250;
/** Max. subscriptions of a session. */
const SUBSCRIPTIONS_MAX = 100;
/** Max. waiting values of one variable. */
const VALUES_MAX = 100;
/** Max. size of all waiting values of a session, and of all sessions together. */
const SIZE_MAX = 2_000_000;
const TOTAL_SIZE_MAX = 8_000_000;
/** Max. size of the changes that one call returns, because the main thread processes them without a pause. */
const CHANGES_SIZE_MAX = 30_000;
/** Size of a value without its contents (1 per number, 1 per character of a text): its status, time and object. */
const READ_SIZE = 10;
/** Time without a fetch, in addition to three intervals, after which a list of variables belongs to a changed unit. */
const UNUSED_MS = 60_000;
/** Node with the max. variables per call (OPC 10000-5, 6.3.11). */
const ITEMS_PER_CALL_NODE = "ns=0;i=11714";

const TOO_MANY_OPERATIONS = 0x8010_0000;
const TOO_MANY_ITEMS = 0x80db_0000;
/** Status of a value after the server had to drop others (OPC 10000-4, 7.39.1). */
const OVERFLOW = { mask: 0x0c80, value: 0x0480 } as const;

/** Returns whether the message of the library is a refusal by the server, with a status code. */
const isRefusal = (message: string): boolean => /\(0x[0-9a-f]{8}\)/i.test(message);

const publishingOf = ({ intervalMs }: OpcUaWatched): number =>
  intervalMs < PUBLISHING_MS[1] ? PUBLISHING_MS[0] : PUBLISHING_MS[1];

function contentSize(value: OpcUaRead["value"]): number {
  if (typeof value === "string") return value.length + 1;
  if (typeof value !== "object") return 1;
  return Object.values(value).reduce<number>((sum, part) => sum + contentSize(part), 1);
}

const sizeOf = ({ value }: OpcUaRead): number => READ_SIZE + contentSize(value);

/** Waiting values of all sessions, which share the memory of the thread. */
const all = { size: 0, sessions: 0 };

/** Session with the services that its public type lacks. */
export type ReportingSession = ClientSession &
  ClientSessionRawSubscriptionService &
  ClientSessionPublishService;

interface Subscription {
  readonly id: number;
  readonly publishingMs: number;
  readonly keepAliveMs: number;
  /** Monotonic time of the last response for this subscription. */
  heardAt: number;
  isEmpty: boolean;
  isFull: boolean;
}

/** Watched variable. */
interface Item extends OpcUaWatched {
  readonly handle: number;
  /** Subscription that reports it; undefined if the variable is read instead. */
  place?: { readonly subscription: Subscription; readonly id: number };
  /** Value that was read before the server began to report changes, and is reported again. */
  first: OpcUaRead | undefined;
  waiting: OpcUaRead[];
  /** Values dropped since the last fetch, because there were too many. */
  left: number;
  /** True if the newest value was dropped: it is read with the next fetch. */
  isMissed: boolean;
  /** Sampling interval of the server in ms. */
  sampledMs: number;
}

interface List {
  readonly items: readonly Item[];
  /** Index of the first item of the next fetch, which the last one had no room for; 0 if it returned all. */
  first: number;
  readonly keepMs: number;
  usedAt: number;
}

interface Deps {
  readonly session: ReportingSession;
  readonly timeoutMs: number;
  readonly read: (nodes: readonly string[]) => Promise<OpcUaRead[]>;
  /** Returns addresses in the form of the server. */
  readonly resolve: (nodes: readonly string[]) => Promise<string[]>;
  /** Ends the session. */
  readonly fail: (reason: string) => void;
}

/**
 * Reported changes of a session. Values wait here until they are fetched; variables that the server does not report are read then. The subscriptions
 * of the library are not used, because they repeat requests without end after the restart of some servers.
 */
export class OpcUaSubscriptions {
  readonly #deps: Deps;
  /** Keyed by the number of the other thread. */
  readonly #lists = new Map<number, List>();
  /** Keyed by the client handle. */
  readonly #items = new Map<number, Item>();
  readonly #subscriptions: Subscription[] = [];
  #acknowledgements: { subscriptionId: number; sequenceNumber: number }[] = [];
  #next = 1;
  #itemsPerCall: number | undefined;
  /** True if the server refuses further subscriptions, or all of them. */
  #isRefused = false;
  #requests = 0;
  #requestsMax = PUBLISH_REQUESTS_MAX;
  #size = 0;
  #isPaused = false;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    all.sessions++;
  }

  /** Reads variables, and makes the server report their changes from now on. */
  async watch(watched: readonly OpcUaWatched[]): Promise<OpcUaWatch> {
    const nodes = await this.#deps.resolve(watched.map(({ node }) => node));
    const reads = await this.#deps.read(nodes);
    const items = watched.map(
      ({ intervalMs }, index): Item => ({
        node: nodes[index] ?? "",
        intervalMs,
        handle: this.#next++,
        first: reads[index],
        waiting: [],
        left: 0,
        isMissed: false,
        sampledMs: 0,
      }),
    );
    await this.#monitor(items);
    const list = this.#next++;
    const slowest = Math.max(...watched.map(({ intervalMs }) => intervalMs));
    this.#lists.set(list, { items, first: 0, keepMs: UNUSED_MS + 3 * slowest, usedAt: performance.now() });
    return {
      list,
      reads,
      sampledMs: items.map(({ place, sampledMs }) => (place === undefined ? undefined : sampledMs)),
    };
  }

  /** Returns changes since the last call. @throws Error `silence:` if the server has been silent for too long */
  async changes(number: number): Promise<OpcUaChanges> {
    const list = this.#lists.get(number);
    if (list === undefined) throw new Error("closed");
    const now = performance.now();
    list.usedAt = now;
    for (const { heardAt, keepAliveMs } of this.#subscriptions)
      if (!this.#isPaused && now - heardAt > keepAliveMs + this.#deps.timeoutMs)
        throw new Error(`silence:${this.#deps.timeoutMs}`);
    const isContinued = list.first > 0;
    const missed = new Map<number, number>();
    const changes = this.#fetch(list, missed);
    this.#forget(now);
    if (this.#size < SIZE_MAX / 2 && !this.#isFull) this.#resume();
    // What is read was read with the first part.
    for (const [index, { place }] of list.items.entries())
      if (place === undefined && !isContinued) missed.set(index, 0);
    return { changes: [...changes, ...(await this.#polled(list.items, missed))], hasMore: list.first > 0 };
  }

  /** Takes waiting values, and adds the items whose newest value was dropped to `missed`, with the number of their dropped values. */
  #fetch(list: List, missed: Map<number, number>): OpcUaChange[] {
    const { items } = list;
    const changes: OpcUaChange[] = [];
    let room = CHANGES_SIZE_MAX;
    let index = list.first;
    for (; index < items.length && room > 0; index++) {
      const item = items[index];
      if (item === undefined) break;
      const { waiting: reads, left, isMissed } = item;
      if (isMissed) missed.set(index, left);
      if (reads.length > 0) changes.push({ index, reads, left: isMissed ? 0 : left });
      room -= this.#clear(item);
    }
    list.first = index < items.length ? index : 0;
    return changes;
  }

  /** Removes the waiting values of an item. Returns their size. */
  #clear(item: Item): number {
    const size = item.waiting.reduce((sum, read) => sum + sizeOf(read), 0);
    this.#grow(-size);
    item.waiting = [];
    item.left = 0;
    item.isMissed = false;
    return size;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#grow(-this.#size);
    all.sessions--;
    this.#isClosed = true;
  }

  #grow(size: number): void {
    if (this.#isClosed) return;
    this.#size += size;
    all.size += size;
  }

  /** Whether too much is waiting: beyond the total, sessions with more than their share wait. */
  get #isFull(): boolean {
    if (this.#size > SIZE_MAX) return true;
    return all.size > TOTAL_SIZE_MAX && this.#size > TOTAL_SIZE_MAX / all.sessions;
  }

  /** Reads items by their index. Each has a number of dropped values. */
  async #polled(items: readonly Item[], indexes: ReadonlyMap<number, number>): Promise<OpcUaChange[]> {
    if (indexes.size === 0) return [];
    const asked = [...indexes];
    const reads = await this.#deps.read(asked.map(([index]) => items[index]?.node ?? ""));
    return asked.flatMap(([index, left], position) => {
      const read = reads[position];
      return read === undefined ? [] : [{ index, reads: [read], left }];
    });
  }

  /** Adds items to subscriptions. The server may require further subscriptions for some items. */
  async #monitor(items: readonly Item[]): Promise<void> {
    this.#itemsPerCall ??= await this.#limit();
    for (const [publishingMs, own] of Map.groupBy(items, publishingOf)) {
      let rest: readonly Item[] = own;
      while (rest.length > 0) {
        const isFitting = (each: Subscription) => !each.isFull && each.publishingMs === publishingMs;
        const subscription = this.#subscriptions.find(isFitting) ?? (await this.#subscribe(publishingMs));
        if (subscription === undefined) break;
        const isNew = subscription.isEmpty;
        const refused = await this.#fill(subscription, rest);
        subscription.isFull = refused.length > 0;
        subscription.isEmpty &&= refused.length === rest.length;
        if (isNew && subscription.isEmpty) this.#isRefused = true; // it is the server that is full
        rest = refused;
      }
    }
  }

  async #limit(): Promise<number> {
    const limit = await this.#deps.session.read({
      nodeId: ITEMS_PER_CALL_NODE,
      attributeId: AttributeIds.Value,
    });
    const most: unknown = limit.value?.value;
    return typeof most === "number" && most > 0 ? Math.min(most, ITEMS_PER_CALL) : ITEMS_PER_CALL;
  }

  async #subscribe(publishingMs: number): Promise<Subscription | undefined> {
    const { session } = this.#deps;
    if (this.#isRefused || this.#subscriptions.length >= SUBSCRIPTIONS_MAX) return undefined;
    try {
      const { subscriptionId, revisedPublishingInterval, revisedMaxKeepAliveCount } =
        await session.createSubscription({
          requestedPublishingInterval: publishingMs,
          requestedMaxKeepAliveCount: KEEP_ALIVE_MS / publishingMs,
          requestedLifetimeCount: LIFETIME_MS / publishingMs,
          maxNotificationsPerPublish: NOTIFICATIONS_MAX,
          publishingEnabled: true,
          priority: 0,
        });
      const subscription = {
        id: subscriptionId,
        publishingMs,
        keepAliveMs: revisedPublishingInterval * revisedMaxKeepAliveCount,
        heardAt: performance.now(),
        isEmpty: true,
        isFull: false,
      };
      this.#subscriptions.push(subscription);
      this.#ask();
      return subscription;
    } catch (error) {
      if (!isRefusal(messageOf(error))) throw error;
      this.#isRefused = true; // nodes that it does not report are read
      return undefined;
    }
  }

  /** Returns the items for which the subscription has no room. */
  async #fill(subscription: Subscription, items: readonly Item[]): Promise<Item[]> {
    const rest: Item[] = [];
    const waiting = [...items];
    while (waiting.length > 0) {
      const part = waiting.splice(0, this.#itemsPerCall);
      try {
        const statuses = await this.#create(subscription, part);
        rest.push(...part.filter((_, index) => statuses[index] === TOO_MANY_ITEMS));
      } catch (error) {
        const isTooMany = messageOf(error).includes("BadTooManyOperations") && part.length > 1;
        if (!isTooMany) throw error;
        this.#itemsPerCall = Math.ceil(part.length / 2);
        waiting.unshift(...part);
      }
      if (rest.length > 0) return [...rest, ...waiting];
    }
    return rest;
  }

  /** Creates the items of one call. Returns their status codes. */
  async #create(subscription: Subscription, items: readonly Item[]): Promise<number[]> {
    for (const item of items) this.#items.set(item.handle, item);
    const { results } = await this.#deps.session.createMonitoredItems({
      subscriptionId: subscription.id,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate: items.map(({ node, handle, intervalMs }) => ({
        itemToMonitor: { nodeId: node, attributeId: AttributeIds.Value },
        monitoringMode: MonitoringMode.Reporting,
        requestedParameters: {
          clientHandle: handle,
          samplingInterval: intervalMs,
          queueSize: Math.min(VALUES_MAX, 1 + Math.ceil((2 * subscription.publishingMs) / intervalMs)),
          discardOldest: true,
        },
      })),
    });
    const statuses = items.map((_, index) => results?.[index]?.statusCode.value ?? TOO_MANY_OPERATIONS);
    for (const [index, item] of items.entries()) {
      const { monitoredItemId: id, revisedSamplingInterval = 0 } = results?.[index] ?? {};
      if (statuses[index] === 0 && id !== undefined) {
        item.place = { subscription, id };
        item.sampledMs = revisedSamplingInterval;
      } else this.#items.delete(item.handle);
    }
    return statuses;
  }

  /** Keeps enough publish requests open for the server to respond at any time. */
  #ask(): void {
    const wanted = Math.min(this.#requestsMax, this.#subscriptions.length + 1);
    while (!this.#isClosed && !this.#isPaused && this.#requests < wanted) void this.#publish();
  }

  async #publish(): Promise<void> {
    this.#requests++;
    let hasMore = false;
    try {
      const response = await this.#response();
      // Requests the types of structures that are still unknown.
      await promoteOpaqueStructureInNotificationData(
        this.#deps.session,
        (response.notificationMessage.notificationData ?? []) as never[],
      );
      hasMore = this.#receive(response);
      this.#forget(performance.now()); // even if no list is fetched any longer
    } catch (error) {
      const reason = messageOf(error);
      if (reason.includes("BadTooManyPublishRequests")) this.#requestsMax = Math.max(1, this.#requests - 1);
      else if (!reason.includes("BadTimeout") && !this.#isClosed) this.#deps.fail(reason);
    }
    this.#requests--;
    if (hasMore) this.#ask();
    else setTimeout(() => this.#ask(), PUBLISH_PAUSE_MS);
  }

  #response(): Promise<PublishResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<PublishResponse>();
    const request = new PublishRequest({
      requestHeader: { timeoutHint: PUBLISH_RESPONSE_MS },
      subscriptionAcknowledgements: this.#acknowledgements.splice(0),
    });
    this.#deps.session.publish(request, (error, response) =>
      response === undefined ? reject(error ?? new Error("no response")) : resolve(response),
    );
    return promise;
  }

  /** Processes a notification. Returns whether the server has more. */
  #receive({ subscriptionId, notificationMessage, moreNotifications }: PublishResponse): boolean {
    const now = performance.now();
    const subscription = this.#subscriptions.find(({ id }) => id === subscriptionId);
    if (subscription !== undefined) subscription.heardAt = now;
    const notifications = notificationMessage.notificationData ?? [];
    if (notifications.length > 0)
      this.#acknowledgements.push({ subscriptionId, sequenceNumber: notificationMessage.sequenceNumber });
    for (const notification of notifications) {
      const { monitoredItems, status } = notification as {
        monitoredItems?: readonly { clientHandle: number; value: DataValue }[] | null;
        status?: { value: number };
      };
      for (const { clientHandle, value } of monitoredItems ?? []) this.#take(clientHandle, readOf(value));
      if (status !== undefined) this.#deps.fail(`status:${status.value}`); // it has ended the subscription
    }
    return moreNotifications;
  }

  #take(handle: number, read: OpcUaRead): void {
    const item = this.#items.get(handle);
    if (item === undefined) return; // of a unit that has been changed
    const { first } = item;
    item.first = undefined;
    if (first !== undefined && JSON.stringify(first) === JSON.stringify(read)) return;
    if ((read.status & OVERFLOW.mask) === OVERFLOW.value) item.left++;
    this.#isPaused ||= this.#isFull;
    if (this.#isPaused) {
      item.left++;
      item.isMissed = true;
      return;
    }
    item.waiting.push(read);
    this.#grow(sizeOf(read));
    if (item.waiting.length <= VALUES_MAX) return;
    const [oldest] = item.waiting.splice(0, 1);
    item.left++;
    if (oldest !== undefined) this.#grow(-sizeOf(oldest));
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    const now = performance.now();
    for (const subscription of this.#subscriptions) subscription.heardAt = now;
    this.#ask();
  }

  /** Removes lists that nobody fetches. */
  #forget(now: number): void {
    for (const [number, { items, usedAt, keepMs }] of this.#lists) {
      if (now - usedAt < keepMs) continue;
      this.#lists.delete(number);
      const places = items.flatMap(({ place }) => place ?? []);
      for (const item of items) {
        this.#items.delete(item.handle);
        this.#clear(item);
      }
      for (const [subscription, own] of Map.groupBy(places, (place) => place.subscription)) {
        subscription.isFull = false;
        for (let first = 0; first < own.length; first += this.#itemsPerCall ?? ITEMS_PER_CALL)
          void this.#deps.session
            .deleteMonitoredItems({
              subscriptionId: subscription.id,
              monitoredItemIds: own
                .slice(first, first + (this.#itemsPerCall ?? ITEMS_PER_CALL))
                .map(({ id }) => id),
            })
            .catch(() => undefined);
      }
    }
  }
}
