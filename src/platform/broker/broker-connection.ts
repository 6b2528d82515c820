import type { IClientOptions, IConnackPacket, MqttClient } from "mqtt";
import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { PublishPacket } from "../../lib/mqtt/packets.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { ErrorCode } from "../../lib/texts/catalogues.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { OutboundRule } from "../network/outbound-address.ts";
import type { Clock } from "../time/clock.ts";
import type {
  BrokerLimits,
  BrokerMessage,
  BrokerSettings,
  BrokerSubscription,
  GrantedSubscription,
} from "./broker.types.ts";
import { BrokerStream } from "./broker-stream.ts";
import { InboundLane, PACKET_BYTES_MAX, WINDOW } from "./inbound-lane.ts";
import type { InboundSession, Outcome } from "./inbound-session.ts";
import type { TenantSpace } from "./inbound-space.ts";

const CONNECT_MS_MAX = 20_000;
const KEEP_ALIVE_S = 60;
/** Session expiry requested from a broker with MQTT 5, so that it keeps messages while the gateway is away. */
const SESSION_EXPIRY_S = 30 * 86_400;
/** DISCONNECT packet of both versions. */
const GOOD_BYE = Buffer.from([0xe0, 0]);
const GOOD_BYE_MS_MAX = 2_000;
/** Max. bytes of unacknowledged messages from `post`. A broker that sends requests without reading must not fill the memory. */
export const POSTED_BYTES_MAX = 1024 * 1024;
/** Approximate memory of an unacknowledged message in addition to topic and payload. */
const POSTED_HEAD_BYTES = 1_024;
const REFUSED = 0x80;
/** Default receive maximum of a broker (MQTT 5, 3.2.2.3). */
const RECEIVE_MAXIMUM = 65_535;
const BROKER_PACKET_BYTES_MAX = 268_435_460;

export interface ConnectionDeps {
  readonly settings: BrokerSettings;
  readonly clientId: string;
  /** True if the broker must discard the existing session. */
  readonly clean: boolean;
  /** Message that the broker sends if the connection ends without DISCONNECT. */
  readonly will?: BrokerMessage | undefined;
  readonly session: InboundSession;
  /** Space that the messages share with those of other connections. */
  readonly space?: TenantSpace | undefined;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly authorities?: readonly string[] | undefined;
  readonly take: (message: PublishPacket) => Promise<Outcome>;
  readonly tooLarge: (message: PublishPacket) => void;
  readonly clock: Pick<Clock, "schedule">;
  /** Aborts the attempt to connect. An open connection is ended by `end`. */
  readonly signal?: AbortSignal | undefined;
}

export interface BrokerConnection {
  /** True if the broker resumed the session, with its subscriptions and queued messages. */
  readonly isResumed: boolean;
  readonly limits: BrokerLimits;
  /** Subscribes. Resolves to the granted filters. */
  subscribe(subscription: BrokerSubscription): Promise<GrantedSubscription[]>;
  unsubscribe(filters: readonly string[]): Promise<void>;
  /**
   * Resolves when the broker has acknowledged the message. @throws Error whose `code` is the reason code if it refuses the message, and DomainError
   * when the connection ends
   */
  publish(message: BrokerMessage): Promise<void>;
  /**
   * Publishes a message without waiting for its acknowledgement, such as a reply to the broker. Returns false and publishes nothing while
   * `POSTED_BYTES_MAX` bytes are unacknowledged.
   */
  post(message: BrokerMessage): boolean;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Text>;
  /** Acknowledges messages in progress and sends DISCONNECT. Resolves once the connection is closed. */
  end(): Promise<void>;
  /** Closes the connection immediately, without DISCONNECT. */
  destroy(): void;
}

/** Errors by reason code of MQTT 3.1.1 and 5 whose text in mqtt.js gives no advice. */
const reasons: Readonly<Record<number, ErrorCode>> = {
  2: "broker_error.client_id",
  4: "broker_error.credentials",
  5: "broker_error.not_allowed",
  133: "broker_error.client_id",
  134: "broker_error.credentials",
  135: "broker_error.not_allowed",
  142: "broker_error.taken_over",
};

function disconnection(reasonCode: number, said: string | undefined): Text {
  const textCode = reasons[reasonCode];
  if (textCode !== undefined) return { code: textCode, params: {} };
  return detail("broker_error.disconnected", { reason: said ?? reasonCode });
}

const broken = (text: Text) => new DomainError("unavailable", text);

function describe(error: unknown): Text {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // Error of mqtt.js if the broker does not answer the first packet.
  if (error instanceof Error && error.message === "connack timeout") return detail("network_error.timed_out");
  const textCode = typeof code === "number" ? reasons[code] : undefined;
  return textCode === undefined ? networkErrorText(error) : { code: textCode, params: {} };
}

/** Pending requests to the broker. All of them fail when the connection ends, so that none waits forever. */
class PendingRequests {
  readonly #waiting = new Set<(error: Error) => void>();
  #reason: Text | undefined;

  fail(reason: Text): void {
    this.#reason = reason;
    for (const reject of this.#waiting) reject(broken(reason));
    this.#waiting.clear();
  }

  /** Calls `ask`, which calls back with the response. @param isEnding returns whether the connection is about to fail with a better reason */
  send<Result>(
    ask: (done: (error: Error | null | undefined, response?: Result) => void) => void,
    isEnding: () => boolean,
  ): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) return reject(broken(this.#reason));
      this.#waiting.add(reject);
      ask((error, response) => {
        if (error && isEnding()) return;
        this.#waiting.delete(reject);
        if (error) reject(error);
        else resolve(response);
      });
    });
  }
}

function optionsOf({ settings, clientId, clean, will }: ConnectionDeps): IClientOptions {
  const { credentials = {}, protocolVersion = 4 } = settings;
  return {
    protocolVersion,
    clientId,
    clean,
    keepalive: settings.keepAliveS ?? KEEP_ALIVE_S,
    connectTimeout: CONNECT_MS_MAX,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    timerVariant: "native",
    ...(credentials.username !== undefined && { username: credentials.username }),
    ...(credentials.password !== undefined && { password: credentials.password }),
    ...(will !== undefined && {
      will: {
        topic: will.topic,
        payload: Buffer.from(will.payload),
        qos: will.qos,
        retain: will.retain ?? false,
      },
    }),
    ...(protocolVersion === 5 && {
      properties: {
        sessionExpiryInterval: clean ? 0 : SESSION_EXPIRY_S,
        receiveMaximum: WINDOW,
        maximumPacketSize: PACKET_BYTES_MAX,
      },
    }),
  };
}

const limitsOf = ({ properties }: IConnackPacket): BrokerLimits => ({
  receiveMaximum: properties?.receiveMaximum ?? RECEIVE_MAXIMUM,
  packetBytesMax: properties?.maximumPacketSize ?? BROKER_PACKET_BYTES_MAX,
});

const greetingOf = (client: MqttClient, ended: Promise<Text>): Promise<IConnackPacket> =>
  new Promise((resolve, reject) => {
    client.once("connect", resolve);
    void ended.then((reason) => reject(broken(reason)));
  });

/** Opens a connection of mqtt.js that does not reconnect by itself. @throws DomainError with the reason */
export async function openConnection(deps: ConnectionDeps): Promise<BrokerConnection> {
  const { MqttClient } = await import("mqtt");
  const { settings, session } = deps;
  let failure: unknown;
  let ending: Promise<void> | undefined;
  const lane = new InboundLane({
    protocolVersion: settings.protocolVersion ?? 4,
    session,
    space: deps.space,
    take: deps.take,
    tooLarge: deps.tooLarge,
    pass: (bytes) => stream.push(bytes),
    send: (bytes) => stream.reply(bytes),
    fail: (error) => stream.destroy(error),
    onRoom: () => stream.resumeReceiving(),
  });
  const stream = new BrokerStream({ ...deps, receive: (chunk) => lane.push(chunk) });
  const destroy = () => void stream.destroy();
  const note = (error: unknown) => {
    failure ??= error;
  };
  stream.on("error", note);
  const client: MqttClient = new MqttClient(() => stream, optionsOf(deps));
  client.on("error", (error) => {
    note(error);
    stream.destroy();
  });
  client.on("disconnect", ({ reasonCode, properties }) => {
    if (reasonCode) note(broken(disconnection(reasonCode, properties?.reasonString)));
  });
  const requests = new PendingRequests();
  const ended = new Promise<Text>((resolve) => {
    stream.once("close", () => {
      lane.close();
      const reason = failure === undefined ? detail("broker_error.closed") : describe(failure);
      requests.fail(reason);
      client.end(true);
      resolve(reason);
    });
  });
  deps.signal?.addEventListener("abort", destroy);
  if (deps.signal?.aborted) destroy();
  const greeting = await greetingOf(client, ended).finally(() =>
    deps.signal?.removeEventListener("abort", destroy),
  );
  return {
    isResumed: greeting.sessionPresent,
    limits: limitsOf(greeting),
    ...conversation(client, settings, (ask) => requests.send(ask, () => stream.destroyed)),
    ended,
    end,
    destroy,
  };

  function end(): Promise<void> {
    ending ??= sayGoodBye();
    return ending;
  }

  async function sayGoodBye(): Promise<void> {
    if (stream.destroyed) return;
    const cancel = deps.clock.schedule(GOOD_BYE_MS_MAX, () => stream.destroy());
    await lane.finish();
    // Not with mqtt.js, which waits for all outstanding acknowledgements.
    stream.end(GOOD_BYE);
    await ended;
    cancel();
  }
}

type SendRequest = <Result>(
  ask: (done: (error: Error | null | undefined, response?: Result) => void) => void,
) => Promise<Result | undefined>;

function conversation(
  client: MqttClient,
  { protocolVersion }: BrokerSettings,
  request: SendRequest,
): Pick<BrokerConnection, "subscribe" | "unsubscribe" | "publish" | "post"> {
  let postedBytes = 0;
  return {
    async subscribe({ filters, qos, takeRetained }) {
      // MQTT 5: replays are not wanted at all, or only for a subscription that is new.
      const options = {
        qos,
        ...(protocolVersion === 5 && { rh: takeRetained === "always" ? 0 : takeRetained ? 1 : 2 }),
      };
      const granted = await request<number[]>((done) =>
        client.subscribe([...filters], options, (error, _asked, packet) => {
          const codes = packet?.granted?.map(Number);
          if (codes === undefined) done(error ?? broken(detail("broker_error.no_response")));
          else done(null, codes);
        }),
      );
      return filters.map((filter, index) => {
        const code = granted?.[index] ?? REFUSED;
        return { filter, qos: code >= REFUSED ? null : code };
      });
    },
    async unsubscribe(filters) {
      await request((done) => client.unsubscribe([...filters], (error) => done(error)));
    },
    publish,
    post(message) {
      if (postedBytes >= POSTED_BYTES_MAX) return false;
      const bytes = message.topic.length + message.payload.length + POSTED_HEAD_BYTES;
      postedBytes += bytes;
      void publish(message)
        .catch(() => undefined)
        .finally(() => {
          postedBytes -= bytes;
        });
      return true;
    },
  };

  async function publish({ topic, payload, qos, retain = false }: BrokerMessage): Promise<void> {
    const bytes = typeof payload === "string" ? payload : asBuffer(payload);
    await request((done) => client.publish(topic, bytes, { qos, retain }, (error) => done(error)));
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
