import { connect } from "node:net";
import type { NatsConnection as Connection } from "@nats-io/transport-node";
import { detail, unavailable } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { clientIdOf } from "../../../../platform/broker/client-id.ts";
import {
  identityBehindRelay,
  LimitedRelay,
  responseTooLong,
} from "../../../../platform/network/limited-relay.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, Target, TargetContext, UplinkRecord } from "../../target.types.ts";
import { abortable } from "../abortable.ts";
import { NdjsonEncoder } from "../ndjson-encoder.ts";
import { tlsOptions } from "../tls-options.ts";
import { compileTopic, type TopicTemplate, toNatsToken } from "../topic-template.ts";
import type { NatsSettings } from "./nats.schemas.ts";
import { toNatsError } from "./nats-errors.ts";

/** Max. received bytes per sent byte; a message of some bytes has a confirmation of some hundred. */
const RESPONSE_BYTES_PER_SENT = 16;
const GREETING_BYTES_MAX = 64 * 1024;
const GREETING = /^INFO (\{.*\})\s*\r\n/;

interface NatsGreeting {
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
}

/**
 * Reads the greeting of a NATS server over a separate connection. The client cannot close a connection to a silent server, in spite of its timeout,
 * so it is only used for servers that respond.
 */
function readGreeting(
  { host, port }: { host: string; port: number },
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<NatsGreeting> {
  const { promise, resolve, reject } = Promise.withResolvers<NatsGreeting>();
  const socket = connect({ host, port });
  let text = "";
  const abort = () => socket.destroy(new Error("aborted"));
  const timer = setTimeout(
    () => socket.destroy(unavailable("network_error.no_response_within", { ms: timeoutMs })),
    timeoutMs,
  );
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    text += chunk;
    const found = GREETING.exec(text)?.[1];
    if (found === undefined && text.length < GREETING_BYTES_MAX) return;
    try {
      resolve(JSON.parse(found ?? ""));
      socket.destroy();
    } catch {
      socket.destroy(unavailable("network_error.other", { message: "what answers there is no NATS server" }));
    }
  });
  socket.on("error", reject);
  socket.on("close", () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    reject(unavailable("network_error.reset"));
  });
  return promise;
}

type NatsConnection = Connection;

const DEFAULT_PORT = 4_222;
/** Max. addresses of a host name that are tried one after the other. */
const ADDRESSES_MAX = 3;
const CONNECT_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 30_000;
const CREDS = /BEGIN NATS USER JWT/;

interface Server {
  readonly host: string;
  readonly port: number;
}

/** @throws TargetError `settings` */
function parseServer(text: string): Server {
  const url = `nats://${text.replace(/^(nats|tls):\/\//, "")}`;
  const { hostname = "", port = "" } = URL.canParse(url) ? new URL(url) : {};
  if (hostname === "")
    throw new TargetError(
      "settings",
      detail("uplink.setting_invalid", { field: "servers", reason: `${text} is not host:port` }),
    );
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? DEFAULT_PORT : Number(port) };
}

type Library = typeof import("@nats-io/transport-node");

function authenticatorOf(library: Library, { username, password, token, privateKey }: NatsSettings) {
  if (privateKey === undefined)
    return {
      ...(username !== undefined && { user: username, pass: password ?? "" }),
      ...(token !== undefined && { token }),
    };
  const { credsAuthenticator, nkeyAuthenticator, nkeys } = library;
  if (CREDS.test(privateKey))
    return { authenticator: credsAuthenticator(new TextEncoder().encode(privateKey)) };
  const seed = new TextEncoder().encode(privateKey.trim());
  try {
    nkeys.fromSeed(seed);
  } catch (error) {
    throw new TargetError(
      "settings",
      detail("uplink.setting_invalid", { field: "privateKey", reason: messageOf(error) }),
      error,
    );
  }
  return { authenticator: nkeyAuthenticator(seed) };
}

/**
 * Connects to the first reachable server. Servers announced by a cluster are ignored, because their addresses are unchecked. The client does not
 * reconnect by itself, so that losses in flight are known.
 * @throws TargetError
 */
async function connectNats(
  settings: NatsSettings,
  { context, name, signal }: { context: TargetContext; name: string; signal: AbortSignal },
): Promise<NatsConnection> {
  const library = await import("@nats-io/transport-node");
  let failure: TargetError | undefined;
  for (const server of settings.servers.map(parseServer)) {
    try {
      const addresses = await context.resolve(server.host, server.port);
      for (const address of addresses.slice(0, ADDRESSES_MAX)) {
        const result = await connectTo(library, settings, { context, name, server, address, signal });
        if (!(result instanceof TargetError)) return result;
        failure ??= result;
      }
    } catch (error) {
      failure ??= toNatsError(error);
    }
  }
  throw failure ?? toNatsError(unavailable("network_error.no_address"));
}

interface Attempt {
  readonly context: TargetContext;
  readonly name: string;
  readonly server: Server;
  readonly address: string;
  readonly signal: AbortSignal;
}

async function connectTo(
  library: Library,
  settings: NatsSettings,
  { context, name, server, address, signal }: Attempt,
): Promise<NatsConnection | TargetError> {
  const { tls } = settings;
  const { port } = server;
  let relay: LimitedRelay | undefined;
  try {
    const { ca, servername, ...options } = tlsOptions(tls, server.host, context);
    const { tls_required: isTlsRequired } = await readGreeting(
      { host: address, port },
      { timeoutMs: CONNECT_TIMEOUT_MS, signal },
    );
    if (isTlsRequired && tls === null)
      throw new TargetError("settings", detail("uplink.setting_missing", { field: "tls" }));
    signal.throwIfAborted();
    // The client keeps a message of any length.
    relay = await LimitedRelay.open({
      host: address,
      port,
      timeoutMs: CONNECT_TIMEOUT_MS,
      signal,
      bytesPerSent: RESPONSE_BYTES_PER_SENT,
    });
    const connection = await library.connect({
      servers: [`${relay.host}:${relay.port}`],
      name,
      resolve: false,
      ignoreClusterUpdates: true,
      reconnect: false,
      timeout: CONNECT_TIMEOUT_MS,
      pingInterval: PING_INTERVAL_MS,
      tls:
        tls === null
          ? null
          : {
              ...options,
              ...identityBehindRelay(servername, address),
              ...(ca !== undefined && { ca: ca.join("\n") }),
            },
      ...authenticatorOf(library, settings),
    });
    void connection.closed().finally(() => relay?.close());
    return connection;
  } catch (error) {
    const { failure } = relay ?? {};
    relay?.close();
    return toNatsError(failure ?? error);
  }
}

interface InFlightLimits {
  readonly inFlightMax: number;
  readonly signal: AbortSignal;
}

/**
 * Sends items in order, many of them concurrently. Resolves when all are confirmed; rejects with the first failure, after which nothing more is
 * sent.
 */
function sendAll<Item>(
  items: Iterable<Item>,
  send: (item: Item) => Promise<unknown>,
  { inFlightMax, signal }: InFlightLimits,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const iterator = items[Symbol.iterator]();
  let inFlight = 0;
  let isOver = false;
  const end = (settle: () => void) => {
    isOver = true;
    signal.removeEventListener("abort", abort);
    settle();
  };
  const fail = (error: unknown) => {
    if (!isOver) end(() => reject(error));
  };
  const abort = () => fail(signal.reason);
  const confirmed = () => {
    inFlight--;
    fill();
  };
  function fill(): void {
    try {
      while (!isOver && inFlight < inFlightMax) {
        const next = iterator.next();
        if (next.done) {
          if (inFlight === 0) end(resolve);
          return;
        }
        inFlight++;
        send(next.value).then(confirmed, fail);
      }
    } catch (error) {
      fail(error);
    }
  }
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  fill();
  return promise;
}

const IN_FLIGHT_MAX = 512;
const ACK_TIMEOUT_MS = 10_000;
const NS_PER_SECOND = 1_000_000_000;
const SECONDS_PER_DAY = 86_400;
/** Approximate bytes of a message in addition to its subject and payload. */
const MESSAGE_HEAD_BYTES = 100;
/** Max. bytes of the header with the id. */
const HEADER_BYTES = 256;

interface Message {
  readonly subject: string;
  readonly id: string;
  readonly payload: Uint8Array;
}

/** Request for a stream that reads only one page: the client would collect as many pages as the server announces. */
const ONE_PAGE = Object.defineProperty({}, "offset", {
  set() {
    throw responseTooLong();
  },
});

/** Connection with its JetStream client. */
interface Client {
  readonly connection: NatsConnection;
  publish(message: Message): Promise<unknown>;
}

/** Returns the subjects of a template; every placeholder is one token. */
const wildcardOf = (template: string): string => template.replace(/\{[^{}]*\}/g, "*");

function covers(wide: string, narrow: string): boolean {
  const left = wide.split(".");
  const right = narrow.split(".");
  return (
    left.length === right.length && left.every((token, index) => token === "*" || token === right[index])
  );
}

/** Returns the subjects of the stream, none of which may contain another. */
function subjectsOf({ subject, eventSubject }: NatsSettings): string[] {
  const all = [subject, eventSubject].flatMap((template) =>
    template === null ? [] : [wildcardOf(template)],
  );
  return all.filter(
    (narrow, index) =>
      !all.some(
        (wide, other) => other !== index && covers(wide, narrow) && (other < index || wide !== narrow),
      ),
  );
}

/**
 * Stream of NATS JetStream. Each row is a message with a line of `ndjson-encoder.ts`. Its id consists of the batch's id and its index, so a batch
 * repeated within the stream's duplicate window causes no duplicates; later, consumers identify a row by device, timestamp and key. The server
 * acknowledges a message when it is in the stream, on as many servers as the stream has replicas; it syncs its file to disk at its own interval.
 */
class NatsTarget implements Target {
  readonly inFlightMax = 1;
  readonly #settings: NatsSettings;
  readonly #context: TargetContext;
  readonly #encoder = new NdjsonEncoder();
  readonly #subject: TopicTemplate;
  readonly #eventSubject: TopicTemplate | undefined;
  #client: Client | undefined;
  #bytesSent = 0;

  constructor(settings: NatsSettings, context: TargetContext) {
    this.#settings = settings;
    this.#context = context;
    const compile = (template: string, field: string) => {
      if (/[*>\s]/.test(template))
        throw new TargetError(
          "settings",
          detail("uplink.setting_invalid", { field, reason: "* and > are wildcards" }),
        );
      return compileTopic(template, { field, toLevel: toNatsToken });
    };
    this.#subject = compile(settings.subject, "subject");
    this.#eventSubject =
      settings.eventSubject === null ? undefined : compile(settings.eventSubject, "eventSubject");
  }

  get bytesSent(): number {
    return this.#bytesSent;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#ready(signal);
  }

  async send(batch: Batch, signal: AbortSignal): Promise<void> {
    const { connection, publish } = await this.#ready(signal);
    const payloadBytesMax = (connection.info?.max_payload ?? Number.POSITIVE_INFINITY) - HEADER_BYTES;
    try {
      await sendAll(this.#messages(batch, payloadBytesMax), publish, { inFlightMax: IN_FLIGHT_MAX, signal });
    } catch (error) {
      this.#drop();
      throw signal.aborted ? signal.reason : toNatsError(error);
    }
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.connection.close().catch(() => {});
  }

  #drop(): void {
    void this.close();
  }

  async #ready(signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted();
    if (this.#client !== undefined && !this.#client.connection.isClosed()) return this.#client;
    const opening = this.#open(signal);
    // A connection that comes too late is not kept.
    const client = await abortable(opening, signal, () => {
      opening.then(
        ({ connection }) => connection.close(),
        () => {},
      );
    });
    this.#client = client;
    return client;
  }

  async #open(signal: AbortSignal): Promise<Client> {
    let connection: NatsConnection | undefined;
    try {
      connection = await connectNats(this.#settings, {
        context: this.#context,
        name: clientIdOf(this.#context.uplinkId),
        signal,
      });
      const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
      const manager = await jetstreamManager(connection, { checkAPI: false });
      await this.#ensureStream(manager);
      const client = jetstream(connection);
      const { stream: streamName } = this.#settings;
      const publish = ({ subject, id, payload }: Message) =>
        client.publish(subject, payload, { msgID: id, timeout: ACK_TIMEOUT_MS, expect: { streamName } });
      return { connection, publish };
    } catch (error) {
      await connection?.close().catch(() => {});
      throw toNatsError(error);
    }
  }

  async #ensureStream(manager: Awaited<ReturnType<typeof import("@nats-io/jetstream").jetstreamManager>>) {
    const { stream, createStream, streamReplicas, streamMaxAgeDays, streamMaxBytes } = this.#settings;
    try {
      await manager.streams.info(stream, ONE_PAGE);
    } catch (error) {
      const isMissing = error instanceof Error && error.name === "StreamNotFoundError";
      if (!isMissing || !createStream) throw error;
      await manager.streams.add({
        name: stream,
        subjects: subjectsOf(this.#settings),
        num_replicas: streamReplicas,
        duplicate_window: this.#settings.duplicateWindowSeconds * NS_PER_SECOND,
        ...(streamMaxAgeDays !== undefined && {
          max_age: streamMaxAgeDays * SECONDS_PER_DAY * NS_PER_SECOND,
        }),
        ...(streamMaxBytes !== undefined && { max_bytes: streamMaxBytes }),
      });
    }
  }

  *#messages(batch: Batch, payloadBytesMax: number): Generator<Message> {
    const ends: { readonly record: UplinkRecord; readonly end: number }[] = [];
    const text = this.#encoder.encode(batch, (record, end) => ends.push({ record, end }));
    let start = 0;
    let last: UplinkRecord | undefined;
    let subject: string | undefined;
    for (const [index, { record, end }] of ends.entries()) {
      const payload = text.subarray(start, end - 1);
      start = end;
      if (record !== last) subject = this.#subjectOf(record);
      last = record;
      if (subject === undefined) continue;
      if (payload.length > payloadBytesMax)
        throw new TargetError(
          "refused",
          detail("uplink.batch_refused", {
            reason: `a message of ${payload.length} bytes, the server takes ${payloadBytesMax}`,
          }),
        );
      this.#bytesSent += payload.length + subject.length + MESSAGE_HEAD_BYTES;
      yield { subject, id: `${batch.id}:${index}`, payload };
    }
  }

  #subjectOf(record: UplinkRecord): string | undefined {
    if (record.kind === "rows") return this.#subject.topicOf(record.device);
    return this.#eventSubject?.topicOf(record.device, { event: record.kind });
  }
}

export const createNatsTarget = (settings: NatsSettings, context: TargetContext): Target =>
  new NatsTarget(settings, context);
