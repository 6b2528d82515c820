import { isIP } from "node:net";
import type { Base, Broker, Connection, UserError } from "@platformatic/kafka";
import { unavailable } from "../../../lib/domain-error.ts";
import type { TargetContext } from "../uplink.types.ts";
import { toKafkaError } from "./kafka-errors.ts";
import type { TlsOptions } from "./tls-options.ts";

/** Bytes of an answer, at most: the largest is the metadata of a cluster. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const LENGTH_BYTES = 4;
/** Addresses of a name that are tried one after the other. */
const ADDRESSES_MAX = 3;

type Connected = { readonly connections: Base["connections"] };
type Callback = (error: Error | null, connection?: Connection) => void;

/** TLS options whose server name is that of the broker that is connected to next. */
export interface NamedTls {
  readonly options: TlsOptions;
  /** Name of the host, before its connection is opened. */
  expect(host: string): void;
}

/**
 * The client connects by address, and each broker of a cluster has its own name, so the name is a getter: the client reads the options at the
 * moment in which it opens a connection.
 */
export function namedTls({ servername: _, ...options }: TlsOptions): NamedTls {
  let name: string | undefined;
  return {
    options: Object.defineProperty(options, "servername", {
      enumerable: true,
      get: () => name,
    }) as TlsOptions,
    expect(host) {
      name = isIP(host) === 0 ? host : undefined;
    },
  };
}

/** Ends a connection whose answer is too long: the client would keep all of it, whatever its length. */
export class AnswerLimit {
  readonly #head = Buffer.alloc(LENGTH_BYTES);
  #headBytes = 0;
  #remaining = 0;

  /** Returns whether the bytes of a connection so far are answers of at most the limit. */
  take(chunk: Uint8Array): boolean {
    for (let offset = 0; offset < chunk.length; ) {
      if (this.#remaining > 0) {
        const taken = Math.min(this.#remaining, chunk.length - offset);
        this.#remaining -= taken;
        offset += taken;
        continue;
      }
      this.#head[this.#headBytes++] = chunk[offset++] ?? 0;
      if (this.#headBytes < LENGTH_BYTES) continue;
      this.#headBytes = 0;
      this.#remaining = this.#head.readUInt32BE();
      if (this.#remaining > ANSWER_BYTES_MAX) return false;
    }
    return true;
  }
}

function limitAnswers({ socket }: Connection): void {
  const limit = new AnswerLimit();
  socket.prependListener("data", (chunk: Uint8Array) => {
    if (!limit.take(chunk))
      socket.destroy(unavailable("network_error.other", { message: "the answer is too long" }));
  });
}

export interface ConnectionRules {
  readonly context: Pick<TargetContext, "resolve">;
  readonly tls: NamedTls | undefined;
  readonly library: { readonly UserError: typeof UserError };
}

/**
 * Makes a client connect only to addresses that the context lets through. A cluster names its brokers itself, so the address of each is checked like those
 * ones of the settings, whenever a connection is opened.
 */
export function restrictConnections(client: Connected, { context, tls, library }: ConnectionRules): void {
  const pool = client.connections;
  const open = pool.get.bind(pool) as (broker: Broker, callback: Callback) => void;
  /** Addresses in use, by name and port. */
  const addresses = new Map<string, string>();
  const limited = new WeakSet<Connection>();
  // An error of a connection is told to whoever waits for it; a second one must not end the program.
  pool.on("connecting", ({ connection }) => void connection.on("error", () => {}));

  /** The client tries again unless the error says that this changes nothing. */
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
    limitAnswers(connection);
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
export function bytesWrittenBy(client: Connected): number {
  let bytes = 0;
  for (const [, connection] of client.connections) bytes += connection.socket?.bytesWritten ?? 0;
  return bytes;
}

/** Ends all connections immediately. */
export function destroyConnections(client: Connected): void {
  for (const [, connection] of client.connections) connection.socket?.destroy();
}
