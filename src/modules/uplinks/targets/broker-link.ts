import { detail } from "../../../lib/core/domain-error.ts";
import type { PublishPacket } from "../../../lib/mqtt/packets.ts";
import { backOffMs } from "../../../lib/network/retry-policy.ts";
import type { BrokerMessage, BrokerSettings } from "../../../platform/broker/broker.types.ts";
import { type BrokerConnection, openConnection } from "../../../platform/broker/broker-connection.ts";
import { clientIdOf } from "../../../platform/broker/client-id.ts";
import { InboundSession } from "../../../platform/broker/inbound-session.ts";
import { systemClock } from "../../../platform/time/clock.ts";
import { TargetError } from "../target.errors.ts";
import type { Batch, Target, TargetContext } from "../target.types.ts";
import { abortable } from "./abortable.ts";
import { toConnectionError } from "./broker-errors.ts";
import type { BrokerLinkSettings } from "./broker-link.schemas.ts";
import { PublishRun } from "./publish-run.ts";
import { tlsOptions } from "./tls-options.ts";

/** Approximate bytes of a packet in addition to topic and payload. */
const PACKET_HEAD_BYTES = 8;
const TAKEN = { kind: "taken" } as const;

export interface BrokerLinkDeps {
  readonly settings: BrokerLinkSettings;
  /** User name and password, if different from the settings. */
  readonly credentials?: { readonly username: string; readonly password?: string };
  readonly context: TargetContext;
  readonly filters: readonly string[];
  /** Receives a message of the broker; does not throw. */
  readonly receive: (message: PublishPacket) => void;
  /** Returns the will of a new connection. */
  readonly will?: () => BrokerMessage;
  /** Called for a new connection, before any message. */
  readonly onConnection?: (connection: BrokerConnection) => void;
  /** Sends the first messages of a connection, after the subscription. */
  readonly greet?: (connection: BrokerConnection) => Promise<void>;
  /** Called when the connection has ended. */
  readonly onEnd?: () => void;
}

function brokerSettings({ settings, credentials, context }: BrokerLinkDeps): BrokerSettings {
  const { url, username, password, protocolVersion, keepAliveSeconds, tls } = settings;
  const { ca, cert, key } = tlsOptions(tls, "", context);
  const user = credentials ?? {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  };
  return {
    brokerUrl: url,
    protocolVersion,
    keepAliveS: keepAliveSeconds,
    credentials: {
      ...user,
      ...(tls?.ca !== undefined && ca !== undefined && { ca: ca.join("\n") }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    },
  };
}

/**
 * Connection of a target to an MQTT broker, without a persistent session. After the first connection, a lost one is re-established even without a
 * batch to send, so that commands arrive.
 */
export class BrokerLink {
  readonly #deps: BrokerLinkDeps;
  readonly #settings: BrokerSettings;
  #connection: BrokerConnection | undefined;
  #opening: Promise<BrokerConnection> | undefined;
  /** Aborted to end the attempt and its retries. */
  #wanted: AbortController | undefined;
  #failures = 0;
  #bytesSent = 0;
  #cancelRetry = () => {};

  constructor(deps: BrokerLinkDeps) {
    this.#deps = deps;
    this.#settings = brokerSettings(deps);
  }

  /** Approximate bytes of all sent messages. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** Returns the connection, connecting if necessary. @throws TargetError, or the reason of the signal */
  async connect(signal: AbortSignal): Promise<BrokerConnection> {
    signal.throwIfAborted();
    if (this.#connection !== undefined) return this.#connection;
    return abortable(this.#open(), signal, () => this.drop());
  }

  /** Resolves when the broker has acknowledged all messages. @throws TargetError, or the reason of the signal */
  async publish(messages: Iterable<BrokerMessage>, signal: AbortSignal): Promise<void> {
    const connection = await this.connect(signal);
    try {
      await new PublishRun(connection, this.#counted(messages)).run(signal);
    } catch (error) {
      // Messages in flight must not arrive after the repeated batch.
      this.drop();
      throw error instanceof TargetError || signal.aborted ? error : toConnectionError(error);
    }
  }

  *#counted(messages: Iterable<BrokerMessage>): Generator<BrokerMessage> {
    for (const message of messages) {
      this.#bytesSent += message.payload.length + message.topic.length + PACKET_HEAD_BYTES;
      yield message;
    }
  }

  /**
   * Publishes messages outside batches, with the same in-flight limit. Resolves to whether the broker has acknowledged them; false without a
   * connection.
   */
  async announce(messages: Iterable<BrokerMessage>): Promise<boolean> {
    const connection = this.#connection;
    if (connection === undefined) return false;
    try {
      await new PublishRun(connection, this.#counted(messages)).run(new AbortController().signal);
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the connection immediately; the next `connect` creates another. */
  drop(): void {
    this.#wanted?.abort();
    this.#wanted = undefined;
    this.#cancelRetry();
    this.#opening = undefined;
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.destroy();
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.drop();
    await connection?.end();
  }

  #open(): Promise<BrokerConnection> {
    if (this.#opening !== undefined) return this.#opening;
    this.#cancelRetry();
    this.#wanted ??= new AbortController();
    const wanted = this.#wanted;
    const opening = this.#establish(wanted.signal).finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    opening.catch(() => this.#retryLater(wanted.signal));
    return opening;
  }

  async #establish(signal: AbortSignal): Promise<BrokerConnection> {
    const { context, filters, onConnection, greet, will } = this.#deps;
    let connection: BrokerConnection | undefined;
    try {
      connection = await openConnection({
        settings: this.#settings,
        clientId: this.#deps.settings.clientId ?? clientIdOf(context.uplinkId),
        clean: true,
        will: will?.(),
        session: new InboundSession(),
        addresses: { resolve: (host, port) => context.resolve(host, port) },
        authorities: context.authorities,
        take: (message) => {
          this.#deps.receive(message);
          return Promise.resolve(TAKEN);
        },
        tooLarge: () => {},
        clock: systemClock,
        signal,
      });
      onConnection?.(connection);
      await this.#subscribe(connection, filters);
      await greet?.(connection);
      signal.throwIfAborted();
    } catch (error) {
      connection?.destroy();
      throw toConnectionError(error);
    }
    this.#failures = 0;
    this.#connection = connection;
    void connection.ended.then(() => this.#ended(connection, signal));
    return connection;
  }

  async #subscribe(connection: BrokerConnection, filters: readonly string[]): Promise<void> {
    if (filters.length === 0) return;
    const granted = await connection.subscribe({ filters, qos: 1, takeRetained: false });
    const refused = granted.filter(({ qos }) => qos === null).map(({ filter }) => filter);
    if (refused.length > 0)
      throw new TargetError(
        "settings",
        detail("uplink.access_refused", {
          reason: detail("broker_error.subscription_refused", { filters: refused }),
        }),
      );
  }

  #ended(connection: BrokerConnection, signal: AbortSignal): void {
    if (this.#connection === connection) this.#connection = undefined;
    this.#deps.onEnd?.();
    this.#retryLater(signal);
  }

  /** Reconnects after a while, if commands are expected. */
  #retryLater(signal: AbortSignal): void {
    if (signal.aborted || this.#deps.filters.length === 0 || this.#connection !== undefined) return;
    this.#cancelRetry();
    this.#cancelRetry = systemClock.schedule(backOffMs(++this.#failures, Math.random), () => {
      if (!signal.aborted && this.#connection === undefined) this.#open().catch(() => undefined);
    });
  }
}

/** Target that publishes to a broker. */
export abstract class BrokerTarget implements Target {
  readonly inFlightMax = 1;
  protected abstract readonly link: BrokerLink;

  get bytesSent(): number {
    return this.link.bytesSent;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.link.connect(signal);
  }

  abstract send(batch: Batch, signal: AbortSignal): Promise<void>;

  close(): Promise<void> {
    return this.link.close();
  }
}
