import type { MqttClient } from "mqtt";
import { DomainError, detail } from "../../../lib/domain-error.ts";
import type { PublishPacket } from "../../../lib/mqtt/packets.ts";
import { networkErrorText } from "../../../lib/network-error.ts";
import type { ErrorCode } from "../../../lib/texts/en/errors.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { OutboundRule } from "../../../platform/outbound-address.ts";
import type { BrokerMessage, MqttSettings } from "../integrations.types.ts";
import type { BridgeSubscription } from "./bridge.types.ts";
import { BrokerStream } from "./broker-stream.ts";
import { InboundLane, PACKET_BYTES_MAX, WINDOW } from "./inbound-lane.ts";
import type { InboundSession, Outcome } from "./inbound-session.ts";

const CONNECT_MS_MAX = 20_000;
const KEEP_ALIVE_S = 60;
/** Time for which a broker that speaks MQTT 5 is asked to keep what comes while the gateway is away. */
const SESSION_EXPIRY_S = 30 * 86_400;
/** DISCONNECT, in both versions. */
const GOOD_BYE = Buffer.from([0xe0, 0]);
const GOOD_BYE_MS_MAX = 2_000;
const REFUSED = 0x80;

export interface ConnectionDeps {
  readonly settings: MqttSettings;
  readonly clientId: string;
  /** The broker is to forget the session that it has. */
  readonly clean: boolean;
  readonly session: InboundSession;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly authorities?: readonly string[] | undefined;
  readonly take: (message: PublishPacket) => Promise<Outcome>;
  readonly tooLarge: (message: PublishPacket) => void;
  readonly clock: Clock;
  /** Ends the attempt; a connection that is made is ended by `end`. */
  readonly signal?: AbortSignal | undefined;
}

export interface BrokerConnection {
  /** The broker has the session of before, with its subscriptions, and sends what it has kept. */
  readonly isResumed: boolean;
  /** Asks for the settings' topics; the broker says which it grants. */
  subscribe(): Promise<BridgeSubscription[]>;
  unsubscribe(filters: readonly string[]): Promise<void>;
  publish(message: BrokerMessage): Promise<void>;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Text>;
  /** Acknowledges what is in progress and says good-bye; resolves when nothing is left of it. */
  end(): Promise<void>;
}

export const filtersOf = ({ topicFilter }: MqttSettings): readonly string[] =>
  typeof topicFilter === "string" ? [topicFilter] : topicFilter;

/** Errors by reason code of MQTT 3.1.1 and 5, where the text of mqtt.js does not say what to do. */
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
  // What mqtt.js says of a broker that does not answer its first packet.
  if (error instanceof Error && error.message === "connack timeout") return detail("network_error.timed_out");
  const textCode = typeof code === "number" ? reasons[code] : undefined;
  return textCode === undefined ? networkErrorText(error) : { code: textCode, params: {} };
}

/** A connection of mqtt.js that lasts until it ends: what is to be done then is the bridge's matter. @throws DomainError with the reason */
export async function openConnection(deps: ConnectionDeps): Promise<BrokerConnection> {
  const { MqttClient } = await import("mqtt");
  const { settings, session } = deps;
  const protocolVersion = settings.protocolVersion ?? 4;
  let failure: unknown;
  let ending: Promise<void> | undefined;
  const lane = new InboundLane({
    protocolVersion,
    session,
    take: deps.take,
    tooLarge: deps.tooLarge,
    pass: (bytes) => stream.push(bytes),
    send: (bytes) => stream.write(bytes),
    fail: (error) => stream.destroy(error),
    onRoom: () => stream.resumeReceiving(),
  });
  const giveUp = () => stream.destroy();
  const stream = new BrokerStream({ ...deps, receive: (chunk) => lane.push(chunk) });
  stream.on("error", (error) => {
    failure ??= error;
  });
  const { credentials = {} } = settings;
  const client: MqttClient = new MqttClient(() => stream, {
    protocolVersion,
    clientId: deps.clientId,
    clean: deps.clean,
    keepalive: settings.keepAliveS ?? KEEP_ALIVE_S,
    connectTimeout: CONNECT_MS_MAX,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    timerVariant: "native",
    ...(credentials.username !== undefined && { username: credentials.username }),
    ...(credentials.password !== undefined && { password: credentials.password }),
    ...(protocolVersion === 5 && {
      properties: {
        sessionExpiryInterval: deps.clean ? 0 : SESSION_EXPIRY_S,
        receiveMaximum: WINDOW,
        maximumPacketSize: PACKET_BYTES_MAX,
      },
    }),
  });
  client.on("error", (error) => {
    failure ??= error;
    stream.destroy();
  });
  client.on("disconnect", ({ reasonCode, properties }) => {
    if (reasonCode) failure ??= broken(disconnection(reasonCode, properties?.reasonString));
  });
  const ended = new Promise<Text>((resolve) => {
    stream.once("close", () => {
      lane.close();
      client.end(true);
      resolve(failure === undefined ? detail("broker_error.closed") : describe(failure));
    });
  });
  deps.signal?.addEventListener("abort", giveUp);
  if (deps.signal?.aborted) giveUp();
  const isResumed = await new Promise<boolean>((resolve, reject) => {
    client.once("connect", ({ sessionPresent }) => resolve(sessionPresent));
    void ended.then((reason) => reject(broken(reason)));
  });
  deps.signal?.removeEventListener("abort", giveUp);
  const failed = ended.then((reason) => Promise.reject(broken(reason)));
  failed.catch(() => undefined); // of interest only to whoever waits for an answer
  /** mqtt.js keeps those waiting who are owed an answer when the connection breaks, or says no more than that it is closed. */
  const unlessBroken = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
    Promise.race([answer.catch((error) => (stream.destroyed ? failed : Promise.reject(error))), failed]);
  return { isResumed, ...conversation(client, settings, unlessBroken), ended, end };

  function end(): Promise<void> {
    ending ??= sayGoodBye();
    return ending;
  }

  async function sayGoodBye(): Promise<void> {
    if (stream.destroyed) return;
    const cancel = deps.clock.schedule(GOOD_BYE_MS_MAX, () => stream.destroy());
    await lane.finish();
    // Not mqtt.js's way, which waits for every answer that is still owed.
    stream.end(GOOD_BYE);
    await ended;
    cancel();
  }
}

function conversation(
  client: MqttClient,
  settings: MqttSettings,
  unlessBroken: <Answer>(answer: Promise<Answer>) => Promise<Answer>,
): Pick<BrokerConnection, "subscribe" | "unsubscribe" | "publish"> {
  const filters = filtersOf(settings);
  return {
    subscribe() {
      const answered = new Promise<BridgeSubscription[]>((resolve, reject) => {
        const options = {
          qos: settings.qos ?? 1,
          // MQTT 5: replays are not wanted at all, or only for a subscription that is new.
          ...(settings.protocolVersion === 5 && { rh: settings.takeRetained ? 1 : 2 }),
        };
        client.subscribe([...filters], options, (error, _asked, packet) => {
          const granted = packet?.granted;
          if (granted === undefined) return reject(error ?? broken(detail("broker_error.no_answer")));
          resolve(
            filters.map((filter, index) => {
              const code = Number(granted[index]);
              return { filter, qos: code >= REFUSED ? null : code };
            }),
          );
        });
      });
      return unlessBroken(answered);
    },
    unsubscribe: async (gone) => void (await unlessBroken(client.unsubscribeAsync([...gone]))),
    async publish({ topic, payload, qos }) {
      const bytes = typeof payload === "string" ? payload : Buffer.from(payload);
      await unlessBroken(client.publishAsync(topic, bytes, { qos }));
    },
  };
}
