// The live connection: one WebSocket for the whole console. It comes back by itself, signs in again and renews every subscription;
// subscribers then receive a fresh snapshot and know that they may have missed something, also after the server left out events.
import { signal } from "@preact/signals";
import { backOffMs } from "../../lib/network/retry-policy.ts";
import type {
  RealtimeMessage,
  Refusal,
  ServerMessage,
  SnapshotMessage,
  SubscriptionSpec,
} from "../lib/realtime-types.ts";
import { serverNow } from "./now.ts";

/** The console reconnects sooner than the senders to a failed target. */
const RECONNECT = { firstMs: 500, maxMs: 15_000 };

export type ConnectionState =
  | { readonly kind: "idle" }
  | { readonly kind: "connecting" }
  | { readonly kind: "ready" }
  | { readonly kind: "waiting"; readonly retryAt: number };

export type Handler = (message: RealtimeMessage) => void;

export interface RealtimeOptions {
  readonly url: () => string;
  readonly token: () => string | undefined;
  /** The server no longer accepts the token. */
  readonly onUnauthorized: () => void;
  /** The server has refused a subscription, such as one beyond a limit. */
  readonly onRefused: (reason: Refusal) => void;
  readonly random?: () => number;
  readonly gapWaitMs?: number;
}

const PING_EVERY_MS = 15_000;
/** Any message of the server shows that the connection is alive; after two missed pings it counts as lost. */
const SILENCE_MAX_MS = 35_000;
/** Events that the server skipped within this time are fetched together. On a connection that stays slow, each fetch waits twice as long. */
const GAP_WAIT_MS = 2_000;
const GAP_WAIT_MS_MAX = 60_000;
const CLOSE_UNAUTHORIZED = 4401;

export class RealtimeClient {
  readonly state = signal<ConnectionState>({ kind: "idle" });
  /** Subscription id → its specification and its handlers. */
  readonly #subscriptions = new Map<string, { spec: SubscriptionSpec; handler: Handler }>();
  /** Subscription id → the joined messages of its snapshot so far. */
  readonly #parts = new Map<string, SnapshotMessage>();
  readonly #options: RealtimeOptions;
  #socket: WebSocket | undefined;
  #attempt = 0;
  #nextId = 1;
  #lastMessageAt = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #pingTimer: ReturnType<typeof setInterval> | undefined;
  #gapTimer: ReturnType<typeof setTimeout> | undefined;
  #gapEndedAt = Number.NEGATIVE_INFINITY;
  #gapWaitMs = GAP_WAIT_MS;

  constructor(options: RealtimeOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#socket === undefined) this.#connect();
  }

  stop(): void {
    clearTimeout(this.#retryTimer);
    this.#drop();
    this.state.value = { kind: "idle" };
  }

  retryNow(): void {
    if (this.state.value.kind === "waiting") this.#connect();
  }

  /** Returns the function that ends the subscription. */
  subscribe(spec: SubscriptionSpec, handler: Handler): () => void {
    const id = `s${this.#nextId++}`;
    this.#subscriptions.set(id, { spec, handler });
    if (this.state.value.kind === "ready") this.#send({ type: "subscribe", id, ...spec });
    return () => {
      this.#subscriptions.delete(id);
      if (this.state.value.kind === "ready") this.#send({ type: "unsubscribe", id });
    };
  }

  #connect(): void {
    clearTimeout(this.#retryTimer);
    this.#drop();
    this.state.value = { kind: "connecting" };
    const socket = new WebSocket(this.#options.url());
    this.#socket = socket;
    this.#lastMessageAt = performance.now();
    this.#pingTimer = setInterval(() => this.#keepAlive(), PING_EVERY_MS);
    socket.onopen = () => this.#send({ type: "auth", token: this.#options.token() });
    socket.onmessage = (event) => this.#onMessage(String(event.data));
    socket.onclose = (event) => this.#onClose(event.code);
  }

  #drop(): void {
    clearInterval(this.#pingTimer);
    clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    this.#parts.clear();
    const socket = this.#socket;
    this.#socket = undefined;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #onClose(code: number): void {
    this.#drop();
    if (code === CLOSE_UNAUTHORIZED) {
      this.state.value = { kind: "idle" };
      this.#options.onUnauthorized();
      return;
    }
    const delay = backOffMs(++this.#attempt, this.#options.random ?? Math.random, RECONNECT);
    this.state.value = { kind: "waiting", retryAt: serverNow() + delay };
    this.#retryTimer = setTimeout(() => this.#connect(), delay);
  }

  #keepAlive(): void {
    if (performance.now() - this.#lastMessageAt > SILENCE_MAX_MS) this.#onClose(0);
    else if (this.state.value.kind === "ready") this.#send({ type: "ping" });
  }

  #onMessage(text: string): void {
    this.#lastMessageAt = performance.now();
    const message = JSON.parse(text) as ServerMessage; // of our own server; types that it will have later are ignored
    if (message.type === "ready") this.#onReady();
    else if (message.type === "snapshot") this.#onSnapshot(message);
    else if (message.type === "gap") this.#onGap();
    else if (message.type === "error") this.#options.onRefused(message);
    else if (message.type === "data") this.#subscriptions.get(message.id)?.handler(message);
  }

  /** Joins the messages of a snapshot, which subscribers get as a whole. */
  #onSnapshot({ more, ...part }: SnapshotMessage): void {
    const before = this.#parts.get(part.id);
    this.#parts.delete(part.id);
    const whole: SnapshotMessage = {
      ...part,
      telemetry: [...(before?.telemetry ?? []), ...part.telemetry],
      devices: [...(before?.devices ?? []), ...part.devices],
    };
    if (more) this.#parts.set(part.id, whole);
    else this.#subscriptions.get(part.id)?.handler(whole);
  }

  #onReady(): void {
    this.#attempt = 0;
    this.state.value = { kind: "ready" };
    this.#renew(() => true);
  }

  /** The server has skipped events because the connection was too slow. Values are not events: the newest ones always arrive. */
  #onGap(): void {
    if (this.#gapTimer !== undefined) return;
    const firstMs = this.#options.gapWaitMs ?? GAP_WAIT_MS;
    if (performance.now() - this.#gapEndedAt > GAP_WAIT_MS_MAX) this.#gapWaitMs = firstMs;
    this.#gapTimer = setTimeout(() => {
      this.#gapTimer = undefined;
      this.#gapEndedAt = performance.now();
      this.#gapWaitMs = Math.min(2 * this.#gapWaitMs, GAP_WAIT_MS_MAX);
      this.#renew(({ topics }) => topics.some((topic) => topic !== "telemetry"));
    }, this.#gapWaitMs);
  }

  #renew(isMeant: (spec: SubscriptionSpec) => boolean): void {
    for (const [id, { spec }] of this.#subscriptions)
      if (isMeant(spec)) this.#send({ type: "subscribe", id, ...spec });
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }
}
