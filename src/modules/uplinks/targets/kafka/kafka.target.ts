import { isIP } from "node:net";
import type { Base, Broker, Connection, SASLOptions, UserError } from "@platformatic/kafka";
import { detail } from "../../../../lib/core/domain-error.ts";
import { omit } from "../../../../lib/core/omit.ts";
import { clientIdOf } from "../../../../platform/broker/client-id.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, Target, TargetContext, UplinkRecord } from "../../target.types.ts";
import { abortable } from "../abortable.ts";
import { NdjsonEncoder } from "../ndjson-encoder.ts";
import { saltPassword } from "../scram.ts";
import { type TlsOptions, tlsOptions } from "../tls-options.ts";
import type { KafkaSettings } from "./kafka.schemas.ts";
import { toKafkaError } from "./kafka-errors.ts";
import { limitResponses } from "./kafka-responses.ts";

/** Max. addresses of a host name that are tried one after the other. */
const ADDRESSES_MAX = 3;

type Connected = { readonly connections: Base["connections"] };
type Callback = (error: Error | null, connection?: Connection) => void;

/** TLS options with the server name of the next broker. */
interface NamedTls {
  readonly options: TlsOptions;
  /** Sets the host name before its connection is opened. */
  expect(host: string): void;
}

/**
 * Returns TLS options with a getter as server name: the client connects by address, but each broker of a cluster has its own name, and the client
 * reads the options when it opens a connection.
 */
function namedTls(options: TlsOptions): NamedTls {
  let name: string | undefined;
  return {
    options: Object.defineProperty(omit(options, "servername"), "servername", {
      enumerable: true,
      get: () => name,
    }) as TlsOptions,
    expect(host) {
      name = isIP(host) === 0 ? host : undefined;
    },
  };
}

/** Authenticates by SCRAM like the client, with the gateway's own derivation of passwords. */
const signInByScram =
  ({ saslScramSha }: Library): NonNullable<SASLOptions["authenticate"]> =>
  (mechanism, connection, authenticate, username = "", password = "", _token, callback) => {
    const isLong = mechanism === "SCRAM-SHA-512";
    const crypto = {
      ...saslScramSha.defaultCrypto,
      hi: (...[, secret, salt, iterations]: Parameters<typeof saslScramSha.hi>) =>
        saltPassword({ password: secret, salt, iterations, digest: isLong ? "sha512" : "sha256" }),
    };
    const algorithm = isLong ? "SHA-512" : "SHA-256";
    saslScramSha.authenticate(authenticate, connection, algorithm, username, password, crypto, callback);
  };

interface ConnectionRules {
  readonly context: Pick<TargetContext, "resolve">;
  readonly tls: NamedTls | undefined;
  readonly library: { readonly UserError: typeof UserError };
}

/**
 * Restricts a client to permitted addresses. A cluster names its brokers itself, so each address is checked like the configured ones, whenever a
 * connection is opened.
 */
function restrictConnections(client: Connected, { context, tls, library }: ConnectionRules): void {
  const pool = client.connections;
  const open = pool.get.bind(pool) as (broker: Broker, callback: Callback) => void;
  /** Addresses in use, by name and port. */
  const addresses = new Map<string, string>();
  const limited = new WeakSet<Connection>();
  // The caller gets the first error of a connection; further errors must not end the process.
  pool.on("connecting", ({ connection }) => void connection.on("error", () => {}));

  /** Converts an error for the client, which retries unless the error is permanent. */
  function toClientError(reason: unknown): Error {
    const error = reason instanceof Error ? reason : new Error(String(reason));
    const { reaction, message } = toKafkaError(error);
    return reaction === "settings"
      ? new library.UserError(message, { canRetry: false, cause: error })
      : error;
  }

  function tryNext(broker: Broker, found: readonly string[], callback: Callback): void {
    const [address = "", ...others] = found;
    tls?.expect(broker.host);
    const resolved = { ...broker, host: address };
    open(resolved, (error, connection) => {
      if (error !== null && error !== undefined && others.length > 0)
        return tryNext(broker, others, callback);
      if (error) return callback(toClientError(error));
      addresses.set(`${broker.host}:${broker.port}`, address);
      callback(null, connection);
    });
    const connection = pool.getEstablishedConnection(resolved);
    connection?.socket?.on("error", () => {});
    if (!connection?.socket || limited.has(connection)) return;
    limited.add(connection);
    limitResponses(connection, library);
  }

  function get(broker: Broker | undefined, callback: Callback): void {
    if (broker === undefined) {
      open(broker as never, callback); // the client's own error
      return;
    }
    const { host, port } = broker;
    const address = addresses.get(`${host}:${port}`);
    if (address !== undefined && pool.has({ host: address, port })) {
      open({ ...broker, host: address }, callback);
      return;
    }
    context
      .resolve(host, port)
      .then((found) => tryNext(broker, found.slice(0, ADDRESSES_MAX), callback))
      .catch((error) => callback(toClientError(error)));
  }

  pool.get = get as typeof pool.get; // the client calls it with a callback only
}

/** Returns the bytes that the open connections of a client have sent. */
function bytesWrittenBy(client: Connected): number {
  let bytes = 0;
  for (const [, connection] of client.connections) bytes += connection.socket?.bytesWritten ?? 0;
  return bytes;
}

/** Ends all connections immediately. */
function destroyConnections(client: Connected): void {
  for (const [, connection] of client.connections) connection.socket?.destroy();
}

type Library = typeof import("@platformatic/kafka");
type Admin = InstanceType<Library["Admin"]>;
type Producer = import("@platformatic/kafka").Producer<Buffer, Buffer, Buffer, Buffer>;

const CONNECT_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** Max. time for the brokers to replicate a request, in ms. */
const REPLICATION_TIMEOUT_MS = 10_000;
/** Retries of the client itself, by which it follows a new leader; further retries are made by the uplink. */
const RETRIES = 3;
const RETRY_DELAY_MS = 100;
/** Max. bytes of a record in addition to key and value. */
const RECORD_HEAD_BYTES = 40;

interface Message {
  readonly topic: string;
  readonly key: Buffer;
  readonly value: Buffer;
}

const compressions = { NONE: "none", GZIP: "gzip", SNAPPY: "snappy", LZ4: "lz4", ZSTD: "zstd" } as const;

const nothing = () => {};

/**
 * Kafka cluster. The value of a record is a line of `ndjson-encoder.ts`, the key is the device id: rows of a device stay in order in one partition,
 * the same as that of Java clients. The producer is idempotent and waits for all in-sync replicas (acks=all), so its retries cause no duplicates. A
 * batch that the uplink sends again is written again: consumers identify a row by device, timestamp and key. Records have the time of sending,
 * because a topic would delete old rows with old times immediately.
 */
class KafkaTarget implements Target {
  readonly inFlightMax = 1;
  readonly #settings: KafkaSettings;
  readonly #context: TargetContext;
  readonly #encoder = new NdjsonEncoder();
  readonly #tls: NamedTls | undefined;
  #producer: Producer | undefined;
  /** Client that creates topics, while in use. */
  #admin: Admin | undefined;

  constructor(settings: KafkaSettings, context: TargetContext) {
    this.#settings = settings;
    this.#context = context;
    this.#tls = settings.tls === null ? undefined : namedTls(tlsOptions(settings.tls, "", context));
  }

  get bytesSent(): number {
    return this.#producer === undefined ? 0 : bytesWrittenBy(this.#producer);
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#ready(signal);
  }

  async send(batch: Batch, signal: AbortSignal): Promise<void> {
    const producer = await this.#ready(signal);
    for (const messages of this.#requests(batch)) await this.#guard(producer.send({ messages }), signal);
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.close(true).catch(nothing);
  }

  /** Returns the producer of a cluster with the required topics. */
  async #ready(signal: AbortSignal): Promise<Producer> {
    signal.throwIfAborted();
    if (this.#producer !== undefined) return this.#producer;
    const library = await import("@platformatic/kafka");
    const producer = new library.Producer({
      ...this.#options(library),
      idempotent: true,
      compression: compressions[this.#settings.compression],
      partitioner: library.compatibilityPartitioner,
    });
    restrictConnections(producer, { context: this.#context, tls: this.#tls, library });
    this.#producer = producer;
    await this.#guard(this.#ensureTopics(library, producer), signal);
    return producer;
  }

  /** Waits for the client. A failure ends all connections, so that nothing of a failed batch arrives after its repetition. */
  async #guard<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
    try {
      return await abortable(work, signal, nothing);
    } catch (error) {
      this.#drop();
      throw signal.aborted ? error : toKafkaError(error);
    }
  }

  #drop(): void {
    const producer = this.#producer;
    this.#producer = undefined;
    if (this.#admin !== undefined) destroyConnections(this.#admin);
    if (producer === undefined) return;
    destroyConnections(producer);
    producer.close(true).catch(nothing);
  }

  #options(library: Library) {
    const { brokers, mechanism, username, password } = this.#settings;
    const { uplinkId } = this.#context;
    return {
      clientId: clientIdOf(uplinkId),
      bootstrapBrokers: [...brokers],
      connectTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      timeout: REPLICATION_TIMEOUT_MS,
      retries: RETRIES,
      retryDelay: RETRY_DELAY_MS,
      ...(this.#tls !== undefined && { tls: this.#tls.options }),
      ...(mechanism !== undefined && {
        sasl: {
          mechanism,
          username: username ?? "",
          password: password ?? "",
          ...(mechanism !== "PLAIN" && { authenticate: signInByScram(library) }),
        },
      }),
    };
  }

  async #ensureTopics(library: Library, producer: Producer): Promise<void> {
    const { topic, eventTopic, createTopics } = this.#settings;
    const topics = eventTopic === null || eventTopic === topic ? [topic] : [topic, eventTopic];
    const missing: string[] = [];
    for (const name of topics) if (!(await hasTopic(producer, name))) missing.push(name);
    if (missing.length === 0) return;
    if (!createTopics)
      throw new TargetError(
        "settings",
        detail("uplink.settings_refused", { reason: `there is no topic ${missing.join(", ")}` }),
      );
    await this.#createTopics(library, missing);
  }

  async #createTopics(library: Library, topics: string[]): Promise<void> {
    const { partitions, replicationFactor } = this.#settings;
    const admin = new library.Admin(this.#options(library));
    this.#admin = admin;
    restrictConnections(admin, { context: this.#context, tls: this.#tls, library });
    try {
      await admin.createTopics({
        topics,
        ...(partitions !== undefined && { partitions }),
        ...(replicationFactor !== undefined && { replicas: replicationFactor }),
      });
    } finally {
      this.#admin = undefined;
      await admin.close().catch(nothing);
    }
  }

  /** Divides the lines of a batch into requests. */
  *#requests(batch: Batch): Generator<Message[]> {
    const { requestBytesMax } = this.#settings;
    const lines = this.#linesOf(batch);
    let messages: Message[] = [];
    let bytes = 0;
    for (const message of lines) {
      const size = message.key.length + message.value.length + RECORD_HEAD_BYTES;
      if (messages.length > 0 && bytes + size > requestBytesMax) {
        yield messages;
        messages = [];
        bytes = 0;
      }
      messages.push(message);
      bytes += size;
    }
    if (messages.length > 0) yield messages;
  }

  #linesOf(batch: Batch): Message[] {
    const { topic, eventTopic } = this.#settings;
    const ends: { readonly record: UplinkRecord; readonly end: number }[] = [];
    const { buffer, byteLength } = this.#encoder.encode(batch, (record, end) => ends.push({ record, end }));
    const text = Buffer.from(buffer, 0, byteLength);
    const keys = new Map<string, Buffer>();
    const messages: Message[] = [];
    let start = 0;
    for (const { record, end } of ends) {
      const { deviceId } = record.device;
      const key = keys.get(deviceId) ?? Buffer.from(deviceId);
      keys.set(deviceId, key);
      const recordTopic = record.kind === "rows" ? topic : eventTopic;
      if (recordTopic !== null)
        messages.push({ topic: recordTopic, key, value: text.subarray(start, end - 1) });
      start = end;
    }
    return messages;
  }
}

async function hasTopic(producer: Producer, topic: string): Promise<boolean> {
  try {
    const { topics } = await producer.metadata({
      topics: [topic],
      autocreateTopics: false,
      forceUpdate: true,
    });
    return (topics.get(topic)?.partitionsCount ?? 0) > 0;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Unknown topic")) return false;
    throw error;
  }
}

export const createKafkaTarget = (settings: KafkaSettings, context: TargetContext): Target =>
  new KafkaTarget(settings, context);
