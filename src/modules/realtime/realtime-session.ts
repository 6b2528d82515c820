import { DomainError, detail, invalid, limited, unauthenticated } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import {
  type HeldResponse,
  RESPONSES_MIB_MAX,
  type ResponseSpace,
} from "../../platform/load/response-space.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DeviceActivity } from "../devices/devices.types.ts";
import type { Authenticator } from "../identity/identity.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { Principal } from "../users/users.types.ts";
import {
  type ClientMessage,
  closeCodes,
  type EventTopic,
  type LiveEvent,
  REALTIME_TOPICS,
  type RealtimeSocket,
  type RealtimeTopic,
  type Subscription,
} from "./realtime.types.ts";
import type { RealtimeHub } from "./realtime-hub.ts";
import { BUFFERED_BYTES_MAX, SendBuffer } from "./send-buffer.ts";
import { snapshotMessages } from "./snapshot.ts";
import { SUBSCRIBED_KEYS_MAX, SubscribedKeys } from "./subscribed-keys.ts";
import type { DeviceData } from "./waiting-readings.ts";

const ID_LENGTH_MAX = 64;
const LIST_LENGTH_MAX = 10_000;

const malformed = (rule: Text) => invalid("realtime.message_invalid", { rule });

function readTexts(value: unknown, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (
    !Array.isArray(value) ||
    value.length > LIST_LENGTH_MAX ||
    value.some((item) => typeof item !== "string" || item.length > 256)
  )
    throw malformed(detail("rule.texts", { name }));
  return value;
}

function readId(value: unknown): string {
  if (typeof value !== "string" || value === "" || value.length > ID_LENGTH_MAX)
    throw malformed(detail("rule.id_length", { max: ID_LENGTH_MAX }));
  return value;
}

function readTopics(value: unknown): RealtimeTopic[] {
  const topics = (readTexts(value, "topics") ?? []).map((name) =>
    REALTIME_TOPICS.find((topic) => topic === name),
  );
  if (topics.length === 0 || topics.includes(undefined))
    throw malformed(detail("rule.topics_unknown", { realtimeTopics: REALTIME_TOPICS.join(", ") }));
  return topics.filter((topic) => topic !== undefined);
}

/** Parses one text frame of a client. @throws DomainError `realtime.message_invalid` */
function parseClientMessage(text: string): ClientMessage {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw malformed(detail("rule.message_not_object"));
  }
  if (!isJsonObject(message)) throw malformed(detail("rule.message_not_object"));
  if (message.type === "ping") return { type: "ping" };
  if (message.type === "auth" && typeof message.token === "string")
    return { type: "auth", token: message.token };
  if (message.type === "unsubscribe") return { type: "unsubscribe", id: readId(message.id) };
  if (message.type !== "subscribe") throw malformed(detail("rule.message_type"));
  const deviceIds = readTexts(message.deviceIds, "deviceIds");
  const keys = readTexts(message.keys, "keys");
  return {
    type: "subscribe",
    id: readId(message.id),
    topics: readTopics(message.topics),
    ...(deviceIds && { deviceIds }),
    ...(keys && { keys }),
  };
}

const AUTH_TIMEOUT_MS = 5_000;
/** Max. bytes from a reader before it is authenticated; an access token takes about 1 KB. */
const UNAUTHENTICATED_BYTES_MAX = 8 * 1024;
/** Max. delay in ms until the end of a session is noticed. */
const RECHECK_INTERVAL_MS = 15_000;
/** Time in ms for which messages are collected; 20 frames per second are smooth enough for charts. */
const FLUSH_INTERVAL_MS = 50;
/** Max. subscriptions of a connection. */
export const SUBSCRIPTIONS_MAX = 100;
/** Max. waiting frames, more than a reconnecting screen sends. */
const FRAMES_WAITING_MAX = 500;
/** Max. characters of waiting frames, enough for some long lists of devices. */
const FRAMES_WAITING_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Waiting bytes of a user's or link's unblocked readers that do not count as bytes in flight, because they are sent within a moment. */
export const UNCOUNTED_BYTES = 256 * 1024;
/**
 * Bytes of subscriptions, frames and the socket's buffer that do not count for an unblocked reader either, so that a modest reader is not
 * disconnected because others with the same link use all space.
 */
const UNCOUNTED_KEPT_BYTES = 32 * 1024;
/** Memory of a socket per buffered byte; measured up to 1.37 with messages of 2 to 100 KB. */
const SOCKET_BYTES = 1.4;
/** Max. bytes of a character in memory. */
const CHARACTER_BYTES = 2;
/** Approximate bytes of a subscription, and of each named device. */
const SUBSCRIPTION_BYTES = 1_024;
const SUBSCRIBED_DEVICE_BYTES = 256;
/** Max. connections per user and per link. */
export const SESSIONS_MAX = { user: 50, link: 200 } as const;

export interface RealtimeDeps {
  readonly hub: RealtimeHub;
  readonly authenticator: Authenticator;
  readonly devices: DevicesService;
  readonly activityOf: (deviceId: DeviceId) => DeviceActivity | undefined;
  readonly store: Pick<TelemetryStore, "latestJson">;
  readonly responses: Pick<ResponseSpace, "openFor">;
  readonly clock: Clock;
  readonly log: Logger;
}

type SubscribeMessage = Extract<ClientMessage, { type: "subscribe" }>;

/** Returns the number of keys named by subscriptions, and their approximate memory. */
function sizeOf(subscriptions: readonly Subscription[]): { keys: number; bytes: number } {
  const size = { keys: 0, bytes: 0 };
  for (const { deviceIds } of subscriptions)
    size.bytes += SUBSCRIPTION_BYTES + (deviceIds?.size ?? 0) * SUBSCRIBED_DEVICE_BYTES;
  for (const { count, bytes } of new Set(subscriptions.map(({ keys }) => keys))) {
    size.keys += count;
    size.bytes += bytes;
  }
  return size;
}

/** Reader on `/api/ws`: signs in with its first message, subscribes, and gets a snapshot followed by new data. */
export class RealtimeSession {
  readonly subscriptions = new Map<string, Subscription>();
  readonly #deps: RealtimeDeps;
  readonly #socket: RealtimeSocket;
  readonly #sendBuffer: SendBuffer;
  #lastTask: Promise<void> = Promise.resolve();
  #waiting = 0;
  #waitingLength = 0;
  /** Bytes in flight to the reader, and other memory of the session. */
  #held: HeldResponse | undefined;
  /** Share of the user's uncounted waiting bytes used by this session. */
  #uncountedBytes = 0;
  #subscriptionBytes = 0;
  /** Characters of the waiting part of a snapshot. */
  #snapshotLength = 0;
  /** Sent bytes that the reader had not received at the last check. */
  #bufferedBytes = 0;
  #onDrain: () => void = () => undefined;
  #unauthenticatedBytes = 0;
  #principal: Principal | undefined;
  #token = "";
  #closed = false;
  #flushing = false;
  #sendingAlarms = false;
  #cancelTimer: () => void;

  constructor(socket: RealtimeSocket, deps: RealtimeDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#sendBuffer = new SendBuffer(socket, deps.hub.texts);
    this.#cancelTimer = deps.clock.schedule(AUTH_TIMEOUT_MS, () =>
      this.close(closeCodes.unauthorized, "sign in first"),
    );
  }

  get tenantId(): TenantId {
    invariant(this.#principal !== undefined, "only signed-in readers are in the hub");
    return this.#principal.tenantId;
  }

  isOfTenant(tenantId: TenantId): boolean {
    return this.#principal?.tenantId === tenantId;
  }

  isBy(userId: UserId): boolean {
    return this.#principal?.userId === userId;
  }

  isUnder(sessionId: string): boolean {
    return this.#principal?.sessionId === sessionId;
  }

  get seesAll(): boolean {
    return this.#principal?.devices === "all";
  }

  get isSignedIn(): boolean {
    return this.#principal !== undefined;
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  maySee(deviceId: DeviceId): boolean {
    const devices = this.#principal?.devices;
    return devices === "all" || (devices?.has(deviceId) ?? false);
  }

  /** Takes one text frame of the client; frames are processed one after the other, a limited number of them concurrently. */
  message(text: string): Promise<void> {
    if (this.#principal === undefined) {
      this.#unauthenticatedBytes += Buffer.byteLength(text);
      if (this.#unauthenticatedBytes > UNAUTHENTICATED_BYTES_MAX)
        this.close(closeCodes.tooLarge, "sign in with a shorter message");
    }
    this.#waitingLength += text.length;
    if (++this.#waiting > FRAMES_WAITING_MAX || this.#waitingLength > FRAMES_WAITING_CHARACTERS_MAX)
      this.close(closeCodes.tooMany, "too many messages in a short time");
    this.#count();
    if (this.#closed) return this.#lastTask;
    const taken = () => {
      this.#waiting--;
      this.#waitingLength -= text.length;
      this.#count();
    };
    this.#lastTask = this.#lastTask.then(() => this.#take(text)).finally(taken);
    return this.#lastTask;
  }

  async #take(text: string): Promise<void> {
    if (this.#closed) return;
    // Tens of thousands of short messages may arrive together, and a long message lists many devices.
    const turn = workShare.enter(this.#principal);
    if (turn !== undefined) await turn;
    if (this.#closed) return;
    let subscriptionId: string | undefined;
    try {
      const message = parseClientMessage(text);
      if (message.type === "subscribe") subscriptionId = message.id;
      await this.#handle(message);
    } catch (error) {
      if (!(error instanceof DomainError)) {
        this.#deps.log.error("realtime message failed", { error });
        this.close(1011, "internal error");
        return;
      }
      const { code, params, message } = error;
      this.#socket.send(JSON.stringify({ type: "error", id: subscriptionId, code, params, message }));
      if (error.code === "realtime.too_many_sessions") return this.close(closeCodes.tooMany, error.message);
      const isRefused = error.kind === "limited" && this.#principal === undefined;
      if (error.kind === "unauthenticated" || isRefused) this.close(closeCodes.unauthorized, error.message);
    }
  }

  drain(): void {
    this.#look();
    this.#onDrain();
    if (!this.#sendBuffer.isEmpty) this.#scheduleFlush();
  }

  /** Ends the session after its socket was closed; called again if the gateway closed it. */
  ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#cancelTimer();
    this.#deps.hub.remove(this);
    if (this.#held !== undefined) this.#leaveOut(0, this.#held);
    this.#held?.end();
    this.#onDrain();
  }

  close(code: number, reason: string): void {
    if (this.#closed) return;
    this.ended();
    this.#socket.close(code, reason);
  }

  *addReadings(deviceId: DeviceId, data: DeviceData, named: readonly Subscription[]): Generator<void> {
    for (const _ of this.#sendBuffer.addReadings(deviceId, data, named)) {
      this.#count();
      if (this.#closed) return;
      this.#scheduleFlush();
      yield;
    }
  }

  addEvent(
    { topic, deviceId, textFor }: LiveEvent,
    { isNamed, max } = { isNamed: false, max: SUBSCRIPTIONS_MAX },
  ): number {
    let count = 0;
    for (const { id, topics, deviceIds } of this.subscriptions.values()) {
      if (!topics.has(topic)) continue;
      if (deviceIds === undefined ? isNamed : deviceId === undefined || !deviceIds.has(deviceId)) continue;
      if (++count > max) this.#sendBuffer.leaveOutEvents(1);
      else this.#sendBuffer.addEvent(textFor(id));
      this.#count();
      this.#scheduleFlush();
      if (topic === "alarms") this.#sendAlarmsSoon();
    }
    return count;
  }

  leaveOut(topic: EventTopic, count: number): void {
    if (!this.subscriptions.values().some(({ topics }) => topics.has(topic))) return;
    this.#sendBuffer.leaveOutEvents(count);
    this.#scheduleFlush();
  }

  #handle(message: ClientMessage): Promise<void> | void {
    if (message.type === "ping") return this.#socket.send('{"type":"pong"}');
    if (message.type === "auth") return this.#signIn(message.token);
    const principal = this.#principal;
    if (principal === undefined) throw unauthenticated("realtime.auth_first");
    if (message.type === "unsubscribe") return this.#unsubscribe(message.id);
    return principal.shared === undefined
      ? this.#subscribe(principal, message)
      : this.#subscribeShared(message);
  }

  /** Checks whether the content of a shared dashboard has changed since the client connected. */
  async #subscribeShared(message: SubscribeMessage): Promise<void> {
    const principal = await this.#deps.authenticator.authenticate(this.#token);
    if (this.#closed) return;
    if (principal === undefined) return this.close(closeCodes.unauthorized, "the link has ended");
    if (!this.#becomes(principal)) return;
    return this.#subscribe(principal, message);
  }

  async #signIn(token: string): Promise<void> {
    const principal = await this.#deps.authenticator.authenticate(token);
    if (principal === undefined) return this.#refuse(token);
    if (principal.tenantId === "") throw unauthenticated("realtime.auth_failed");
    if (this.#closed) return;
    // A fresh token of the same user continues the session. Another user must not inherit its subscriptions.
    if (this.#principal !== undefined && this.#principal.userId !== principal.userId)
      throw unauthenticated("realtime.auth_other");
    if (this.#principal === undefined) this.#ensureFewSessions(principal);
    if (!this.#becomes(principal)) return;
    this.#token = token;
    this.#cancelTimer();
    this.#held ??= this.#deps.responses.openFor(principal);
    this.#count();
    this.#deps.hub.add(this);
    this.#scheduleRecheck();
    this.#socket.send('{"type":"ready"}');
  }

  #ensureFewSessions({ userId, shared }: Principal): void {
    const max = shared === undefined ? SESSIONS_MAX.user : SESSIONS_MAX.link;
    if (this.#deps.hub.countOf(userId) >= max)
      throw limited("realtime.too_many_sessions", undefined, { max });
  }

  async #refuse(token: string): Promise<never> {
    const { authenticator } = this.#deps;
    const waitMs = await authenticator.refused(token, this.#socket.peer, "realtime");
    if (waitMs === 0) throw unauthenticated("realtime.auth_failed");
    throw limited("sign_in.throttled", Math.ceil(waitMs / 1000));
  }

  /** Continues with another principal. Returns false if a subscription is no longer allowed and the client must reconnect. */
  #becomes(principal: Principal): boolean {
    const before = this.#principal?.shared;
    if (before !== undefined && before.version !== principal.shared?.version) {
      this.close(closeCodes.changed, "the dashboard shows something else now");
      return false;
    }
    this.#principal = principal;
    return true;
  }

  #scheduleRecheck(): void {
    this.#cancelTimer = this.#deps.clock.schedule(RECHECK_INTERVAL_MS, async () => {
      const principal = await this.#deps.authenticator.authenticate(this.#token).catch((error) => {
        this.#deps.log.error("checking a session failed", { error });
        return undefined;
      });
      if (this.#closed) return;
      if (principal === undefined) return this.close(closeCodes.unauthorized, "the session has ended");
      if (!this.#becomes(principal)) return;
      this.#scheduleRecheck();
    });
  }

  async #subscribe(principal: Principal, message: SubscribeMessage): Promise<void> {
    if (this.subscriptions.size >= SUBSCRIPTIONS_MAX && !this.subscriptions.has(message.id))
      throw limited("realtime.too_many", undefined, { max: SUBSCRIPTIONS_MAX });
    const deviceIds =
      message.deviceIds && new Set(this.#deps.devices.ensureAllVisible(principal, message.deviceIds));
    const isTelemetryOnly = principal.shared !== undefined;
    const topics = new Set(message.topics.filter((topic) => !isTelemetryOnly || topic === "telemetry"));
    const others = [...this.subscriptions.values()].filter(({ id }) => id !== message.id);
    const keys = this.#keysOf(message.keys, others);
    const subscription: Subscription = { id: message.id, topics, deviceIds, keys };
    this.#reserve([...others, subscription]);
    this.#end(message.id);
    this.subscriptions.set(subscription.id, subscription);
    this.#sendBuffer.add(subscription);
    this.#deps.hub.subscribe(this, subscription);
    return this.#sendSnapshot(principal, subscription);
  }

  /** Returns the keys of a new subscription, shared with subscriptions that name the same keys. */
  #keysOf(asked: readonly string[] | undefined, others: readonly Subscription[]): Subscription["keys"] {
    const { texts } = this.#deps.hub;
    const keys = new SubscribedKeys(
      asked,
      () => this.#principal?.shared,
      (set) => texts.nameOf(set),
    );
    return others.find((other) => other.keys.name === keys.name)?.keys ?? keys;
  }

  /** Reserves space for the subscriptions. @throws DomainError `limited` if there are too many keys, or no space */
  #reserve(subscriptions: readonly Subscription[]): void {
    const { keys, bytes } = sizeOf(subscriptions);
    if (keys > SUBSCRIBED_KEYS_MAX)
      throw limited("realtime.too_many_keys", undefined, { max: SUBSCRIBED_KEYS_MAX });
    const before = this.#subscriptionBytes;
    this.#subscriptionBytes = bytes;
    try {
      this.#hold();
    } catch (error) {
      this.#subscriptionBytes = before;
      if (!(error instanceof DomainError)) throw error;
      throw limited("realtime.no_space", undefined, { max: RESPONSES_MIB_MAX.user });
    }
  }

  async #sendSnapshot(principal: Principal, subscription: Subscription): Promise<void> {
    for await (const text of snapshotMessages(this.#deps, principal, subscription)) {
      this.#snapshotLength = text.length;
      await this.#drained();
      this.#snapshotLength = 0;
      if (this.#closed || this.subscriptions.get(subscription.id) !== subscription) return;
      this.#socket.send(text);
    }
    this.#sendBuffer.setReady(subscription);
    this.#scheduleFlush();
  }

  /** Waits until the reader has received most sent messages, so that a snapshot is never buffered as a whole. */
  async #drained(): Promise<void> {
    for (this.#look(); !this.#closed && this.#isStalled; this.#look())
      await new Promise<void>((resolve) => {
        this.#onDrain = resolve;
      });
  }

  /** Checks whether the reader has room for more. */
  #look(): void {
    this.#bufferedBytes = this.#socket.bufferedBytes();
    this.#count();
  }

  /** Whether the reader has no room; sending then continues with `drain`. */
  get #isStalled(): boolean {
    return this.#bufferedBytes >= BUFFERED_BYTES_MAX;
  }

  /** Counts the session's memory as bytes in flight. Disconnects a reader who exceeds the limits. */
  #count(): void {
    try {
      this.#hold();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.close(closeCodes.tooMany, "too much data is waiting to be read");
    }
  }

  #hold(): void {
    const held = this.#held;
    if (held === undefined || this.#closed) return;
    const waiting = this.#sendBuffer.bytes + this.#snapshotLength * CHARACTER_BYTES;
    const frames = this.#waitingLength * CHARACTER_BYTES;
    const kept = this.#subscriptionBytes + frames + Math.ceil(this.#bufferedBytes * SOCKET_BYTES);
    this.#leaveOut(this.#isStalled ? 0 : waiting, held);
    const uncountedKept = this.#isStalled ? 0 : UNCOUNTED_KEPT_BYTES;
    const bytes = waiting - this.#uncountedBytes + Math.max(0, kept - uncountedKept);
    if (bytes > held.bytes) held.hold(bytes - held.bytes);
    else if (bytes < held.bytes) held.release(held.bytes - bytes);
  }

  /** Excludes waiting bytes from the count, as far as the user's shared allowance permits. */
  #leaveOut(waiting: number, { reader: { userId } }: HeldResponse): void {
    const { uncounted } = this.#deps.hub;
    const ofOthers = uncounted.of(userId) - this.#uncountedBytes;
    const bytes = Math.min(waiting, UNCOUNTED_BYTES - ofOthers);
    uncounted.add(userId, bytes - this.#uncountedBytes);
    this.#uncountedBytes = bytes;
  }

  #unsubscribe(id: string): void {
    this.#end(id);
    this.#subscriptionBytes = sizeOf([...this.subscriptions.values()]).bytes;
    this.#count();
  }

  #end(id: string): void {
    const subscription = this.subscriptions.get(id);
    if (subscription === undefined) return;
    this.subscriptions.delete(id);
    this.#sendBuffer.drop(subscription);
    this.#deps.hub.unsubscribe(this, subscription);
  }

  /** Sends alarms without delay, because they need a quick reaction. */
  #sendAlarmsSoon(): void {
    if (this.#sendingAlarms || this.#closed) return;
    this.#sendingAlarms = true;
    queueMicrotask(() => {
      this.#sendingAlarms = false;
      void this.#sendInTurns(this.#sendBuffer.flushEvents());
    });
  }

  #scheduleFlush(): void {
    if (this.#flushing || this.#closed) return;
    if (this.#isStalled && !this.#sendBuffer.hasRoom) return;
    this.#flushing = true;
    this.#deps.clock.schedule(FLUSH_INTERVAL_MS, async () => {
      await this.#sendInTurns(this.#sendBuffer.flush());
      this.#flushing = false;
      if (this.#closed) return;
      this.#look();
      if (!this.#sendBuffer.isEmpty) this.#scheduleFlush();
    });
  }

  /** Sends messages in turns with other tenants and, within the tenant, with other users. Stops when the session is closed. */
  async #sendInTurns(messages: Generator<void>): Promise<void> {
    if (this.#closed) return;
    const owner = { tenantId: this.tenantId, userId: `live ${this.#principal?.userId}` };
    const turn = workShare.enter(owner);
    if (turn !== undefined) await turn;
    while (!this.#closed && !messages.next().done) {
      const share = workShare.pause(owner);
      if (share !== undefined) await share;
    }
  }
}
