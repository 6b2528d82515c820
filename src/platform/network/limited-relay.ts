import { connect, createServer, type Socket } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { unavailable } from "../../lib/core/domain-error.ts";
import { workShare } from "../load/fair-share.ts";

/**
 * Max. bytes of a response of a foreign server. Targets request little: the largest responses are the columns of tables and the partitions of a
 * topic. Decoded, small parts take up to 80 times their bytes.
 */
export const RESPONSE_BYTES_MAX = 2 * 1024 * 1024;
/** Bytes passed on in a row. A client handles all of them in one turn: a ping of six bytes takes up to 0.1 ms. */
const PART_BYTES = 2 * 1024;
const LOOPBACK = "127.0.0.1";

export const responseTooLong = () => unavailable("network_error.response_too_long");

interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connection to a server after sign-in, for a client behind a relay. */
export interface SignedIn {
  readonly upstream: Socket;
  /** Bytes for the client as the response to its first message, which the relay does not forward. */
  readonly first: Uint8Array;
  /** Returns whether the first message is from the relay's own client: other programs can connect to the relay, too. */
  admits(message: Buffer): boolean;
}

interface RelayOptions extends Upstream {
  /** Signs in at the server and encrypts the connection; undefined if the client does so. */
  readonly signIn?: (socket: Socket) => Promise<SignedIn>;
  /** Bytes that the server may send per byte sent to it. Confirmations may be longer than short messages. */
  readonly bytesPerSent: number;
  /** Max. bytes of a response. Default: `RESPONSE_BYTES_MAX`. */
  readonly responseBytesMax?: number;
  /**
   * Receives all bytes of the server in order. Returns whether a response ends with these. After that, the server may send a whole response
   * to the next bytes of the client.
   */
  readonly endsResponse?: (bytes: Uint8Array) => boolean;
}

/** TLS options behind a relay: the certificate is checked against the name of the server, not the address of the relay. */
export const identityBehindRelay = (servername: string | undefined, address: string) =>
  servername === undefined
    ? {
        checkServerIdentity: (_: string, certificate: PeerCertificate) =>
          checkServerIdentity(address, certificate),
      }
    : { servername };

function connectUpstream({ host, port, timeoutMs, signal }: Upstream): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port });
  const abort = () => socket.destroy(new Error("aborted"));
  const timer = setTimeout(
    () => socket.destroy(unavailable("network_error.no_response_within", { ms: timeoutMs })),
    timeoutMs,
  );
  socket.once("connect", () => resolve(socket));
  socket.once("error", reject);
  socket.once("close", () => reject(unavailable("network_error.reset")));
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
}

/**
 * Connection to a server for a client that would keep a response of any length in memory. The client connects once to `host` and `port`, and sends
 * encrypted bytes through, unless the relay signs in. The server may send `responseBytesMax` in a burst, and additionally `bytesPerSent` times the
 * bytes that the client sends. A client that waits for a response sends nothing. A server that exceeds this loses the connection.
 */
export class LimitedRelay {
  readonly host = LOOPBACK;
  readonly #upstream: Socket;
  readonly #bytesPerSent: number;
  readonly #responseBytesMax: number;
  readonly #listener = createServer();
  /** Bytes that the server may send now. */
  #room: number;
  #client: Socket | undefined;
  #failure: Error | undefined;
  readonly #signedIn: SignedIn | undefined;
  readonly #endsResponse: (bytes: Uint8Array) => boolean;
  #hasResponded = false;
  /** Resolves when the client has received all bytes so far. */
  #passing: Promise<void> = Promise.resolve();

  private constructor(
    upstream: Socket,
    limits: Required<Pick<RelayOptions, "bytesPerSent" | "responseBytesMax" | "endsResponse">>,
    signedIn: SignedIn | undefined,
  ) {
    this.#upstream = upstream;
    this.#bytesPerSent = limits.bytesPerSent;
    this.#responseBytesMax = this.#room = limits.responseBytesMax;
    this.#endsResponse = limits.endsResponse;
    this.#signedIn = signedIn;
    upstream.on("error", (error) => this.#end(error));
    upstream.on("close", () => this.#end(unavailable("network_error.reset")));
    this.#listener.once("connection", (client) => this.#join(client));
  }

  /** Connects to the server. @throws Error of the network, or `network_error.no_response_within` */
  static async open(options: RelayOptions): Promise<LimitedRelay> {
    const { bytesPerSent, signIn, ...upstream } = options;
    const { responseBytesMax = RESPONSE_BYTES_MAX, endsResponse = () => false } = options;
    const socket = await connectUpstream(upstream);
    const signedIn = signIn && (await signInWithin(socket, upstream, signIn));
    const relay = new LimitedRelay(
      signedIn?.upstream ?? socket,
      { bytesPerSent, responseBytesMax, endsResponse },
      signedIn,
    );
    await new Promise<void>((resolve) => relay.#listener.listen(0, LOOPBACK, resolve));
    return relay;
  }

  get port(): number {
    const address = this.#listener.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Reason why the server side of the connection ended; undefined while it is open, or if the client ended it. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** True if the server exceeded its limit. */
  get isCut(): boolean {
    return this.#room < 0;
  }

  close(): void {
    this.#upstream.removeAllListeners("close");
    this.#listener.close();
    this.#upstream.destroy();
    this.#client?.destroy();
  }

  #join(client: Socket): void {
    this.#client = client;
    this.#listener.close();
    client.setNoDelay(true);
    this.#upstream.setNoDelay(true);
    client.on("error", () => this.close());
    client.on("close", () => this.close());
    if (this.#signedIn === undefined) this.#pass(client);
    else client.once("data", (message) => this.#admit(client, Buffer.from(message), this.#signedIn));
  }

  #admit(client: Socket, message: Buffer, signedIn: SignedIn | undefined): void {
    if (signedIn === undefined || !signedIn.admits(message)) {
      this.close();
      return;
    }
    client.write(signedIn.first);
    this.#pass(client);
  }

  #pass(client: Socket): void {
    client.on("data", (bytes) => {
      const more = this.#hasResponded ? this.#responseBytesMax : bytes.length * this.#bytesPerSent;
      this.#hasResponded = false;
      this.#room = Math.min(this.#responseBytesMax, this.#room + more);
      passOn(bytes, client, this.#upstream);
    });
    this.#upstream.on("data", (bytes: Uint8Array) => {
      this.#upstream.pause();
      this.#passing = this.#passing.then(() => this.#passInParts(bytes, client));
    });
    this.#upstream.resume();
  }

  async #passInParts(bytes: Uint8Array, client: Socket): Promise<void> {
    for (let start = 0; start < bytes.length && !client.destroyed; start += PART_BYTES) {
      if (start > 0) await workShare.next();
      const part = bytes.subarray(start, start + PART_BYTES);
      this.#room -= part.length;
      if (this.#room < 0) {
        this.#upstream.destroy(responseTooLong());
        return;
      }
      this.#hasResponded = this.#endsResponse(part);
      if (!client.write(part)) await drained(client);
    }
    this.#upstream.resume();
  }

  #end(failure: Error): void {
    this.#failure ??= failure;
    this.#listener.close();
    // What the server said last explains why it has ended.
    void this.#passing.then(() => this.#client?.end());
  }
}

/** Resolves when the socket has room again or is closed. */
function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => {
    socket.off("drain", end);
    socket.off("close", end);
    resolve();
  };
  socket.on("drain", end);
  socket.on("close", end);
  if (socket.destroyed) end();
  return promise;
}

/** Ends the connection if signing in fails, takes too long or is aborted. */
async function signInWithin(
  socket: Socket,
  { timeoutMs, signal }: Upstream,
  signIn: (socket: Socket) => Promise<SignedIn>,
): Promise<SignedIn> {
  const end = (error: Error) => socket.destroy(error);
  const abort = () => end(new Error("aborted"));
  const timer = setTimeout(
    () => end(unavailable("network_error.no_response_within", { ms: timeoutMs })),
    timeoutMs,
  );
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  socket.on("error", () => undefined); // of a socket below TLS
  try {
    return await signIn(socket);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/** Forwards bytes, and resumes reading when the other side has accepted them. */
function passOn(bytes: string | Uint8Array, from: Socket, to: Socket): void {
  if (to.write(bytes)) return;
  from.pause();
  to.once("drain", () => from.resume());
}
