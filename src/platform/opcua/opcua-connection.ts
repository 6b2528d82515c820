import { isIPv6 } from "node:net";
import { detail, timedOut } from "../../lib/core/domain-error.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import { EndingConnection } from "../network/ending-connection.ts";
import { openFirst } from "../network/first-reachable.ts";
import type { OutboundRule } from "../network/outbound-address.ts";
import type { Clock } from "../time/clock.ts";
import { FAILURE, type OpcUaEndpoint, type OpcUaSession, type OpcUaThreadCalls } from "./opcua.calls.ts";
import type { OpcUaThread } from "./opcua-thread.ts";

export interface OpcUaAddress {
  readonly host: string;
  readonly port: number;
  /** Last part of the address, such as `/server`; empty for none. */
  readonly path: string;
}

export interface OpcUaTarget extends OpcUaAddress {
  readonly timeoutMs: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly signal: AbortSignal;
}

export interface OpcUaOptions extends OpcUaTarget {
  readonly session: Omit<OpcUaSession, "url" | "timeoutMs">;
  readonly clock: Clock;
}

const ENDPOINTS_MS = 4_000;

type LineCalls = Pick<
  OpcUaThreadCalls,
  "read" | "watch" | "changes" | "write" | "callMethod" | "browse" | "describe"
>;

/** Refusal by the server, with a status code of the protocol. */
export class OpcUaRefusal extends Error {
  constructor(
    readonly statusCode: number,
    /** Whether the server refused the whole request or the session. */
    readonly isWhole = false,
  ) {
    super(`OPC UA status ${statusCode}`);
  }
}

/** Value that does not fit the type of the variable. */
export class OpcUaTypeMismatch extends Error {
  constructor(readonly typeName: string) {
    super(`OPC UA type ${typeName}`);
  }
}

/** OPC UA reason why the connection ended or could not be opened. */
export class OpcUaFailure extends Error {
  constructor(readonly reason: Text) {
    super(reason.code);
  }
}

export const urlOf = ({ port, path }: OpcUaAddress, address: string): string =>
  `opc.tcp://${isIPv6(address) ? `[${address}]` : address}:${port}${path}`;

const STATUS = /^status:(\d+)$/;
/** Message of the library for a request that the server refused as a whole. */
const SERVICE = /\((0x[0-9a-f]{8})\)/i;
const TYPE = /^type:(\w+)$/;
const SILENCE = /^silence:(\d+)$/;
/** Network error code in a message of the library. */
const NETWORK = /\((?:connect )?(E[A-Z]{5,})\b/;
/** The library's words for a connection that the other side closes before its first response. */
const CLOSED = "ERROR in waiting for data on socket";
/** Max. characters of a reason. The library quotes texts of the server. */
const REASON_CHARACTERS_MAX = 300;

export function errorOf(message: string): Error {
  const status = STATUS.exec(message)?.[1];
  if (status !== undefined) return new OpcUaRefusal(Number(status));
  const whole = SERVICE.exec(message)?.[1];
  if (whole !== undefined) return new OpcUaRefusal(Number(whole), true);
  const type = TYPE.exec(message)?.[1];
  if (type !== undefined) return new OpcUaTypeMismatch(type);
  if (message === FAILURE.certificate) return new OpcUaFailure(detail("opcua.certificate_unknown"));
  const silence = SILENCE.exec(message)?.[1];
  if (silence !== undefined) return timedOut("opcua.no_response", { ms: Number(silence) });
  if (message === FAILURE.endpoint) return new OpcUaFailure(detail("opcua.endpoint_missing"));
  const code = NETWORK.exec(message)?.[1] ?? (message.includes(CLOSED) ? "ECONNRESET" : undefined);
  if (code !== undefined)
    return new OpcUaFailure(networkErrorText(Object.assign(new Error(message), { code })));
  return new OpcUaFailure(detail("opcua.failed", { reason: message.slice(0, REASON_CHARACTERS_MAX) }));
}

const reasonIn = (error: unknown): string => {
  const params = (error as { params?: { reason?: unknown } }).params;
  return typeof params?.reason === "string" ? params.reason : String(error);
};

/** Status of a request for more nodes than the server accepts. */
export const TOO_MANY_OPERATIONS = 0x8010_0000;

/** Returns whether the session can continue after an error. After other errors, its state is unknown. */
const isResponse = (error: Error): boolean =>
  error instanceof OpcUaTypeMismatch ||
  (error instanceof OpcUaRefusal && (!error.isWhole || error.statusCode === TOO_MANY_OPERATIONS));

/**
 * Open session with a server. Every error ends it, and the gateway creates a new session, because the reconnection of the library does not work with
 * all servers.
 */
export class OpcUaConnection extends EndingConnection {
  readonly #thread: OpcUaThread;
  readonly #options: OpcUaOptions;
  readonly #line: number;
  /** Rejects waiting requests. */
  readonly #waiting = new Set<(error: Error) => void>();

  private constructor(thread: OpcUaThread, options: OpcUaOptions) {
    super();
    this.#thread = thread;
    this.#options = options;
    thread.acquire();
    this.#line = thread.addLine((reason) => this.end(errorOf(reason)));
  }

  /** @throws Error of the network, OpcUaFailure, or DomainError: `timed_out`, an address that is not allowed */
  static open(thread: OpcUaThread, options: OpcUaOptions): Promise<OpcUaConnection> {
    return openFirst(options, async (address) => {
      const connection = new OpcUaConnection(thread, options);
      const { session, timeoutMs, signal } = options;
      const giveUp = () => connection.close();
      signal.addEventListener("abort", giveUp);
      try {
        // Certificate, channel, session and sign-in.
        await connection.#inTime(4 * timeoutMs, () =>
          thread.call("open", {
            line: connection.#line,
            session: { ...session, url: urlOf(options, address), timeoutMs },
          }),
        );
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
      return connection;
    });
  }

  /** Sends a request. @throws OpcUaRefusal, OpcUaFailure, or DomainError `timed_out` */
  async request<Name extends keyof LineCalls>(
    name: Name,
    args: Omit<LineCalls[Name]["args"], "line">,
  ): Promise<LineCalls[Name]["result"]> {
    const call = { ...args, line: this.#line } as LineCalls[Name]["args"];
    const result = await this.#inTime(this.#options.timeoutMs, () => this.#thread.call(name, call));
    this.noteResponse();
    return result;
  }

  async #inTime<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
    this.ensureOpen();
    const { promise, reject } = Promise.withResolvers<never>();
    const cancel = this.#options.clock.schedule(ms, () => this.end(timedOut("opcua.no_response", { ms })));
    this.#waiting.add(reject);
    try {
      return await Promise.race([work(), promise]);
    } catch (cause) {
      this.ensureOpen();
      const error = errorOf(reasonIn(cause));
      if (!isResponse(error)) this.end(error);
      throw error;
    } finally {
      this.#waiting.delete(reject);
      cancel();
    }
  }

  protected release(error: Error): void {
    this.#thread.removeLine(this.#line);
    for (const reject of this.#waiting) reject(error);
    // The thread may have to end with this line, but not before the server has been told.
    void this.#thread
      .call("close", { line: this.#line })
      .catch(() => undefined)
      .finally(() => this.#thread.release());
  }
}

/** Asks a server for its endpoints. @throws Error as `open` */
export async function listServerEndpoints(
  thread: OpcUaThread,
  target: OpcUaAddress & Pick<OpcUaTarget, "addresses">,
): Promise<OpcUaEndpoint[]> {
  const signal = AbortSignal.timeout(ENDPOINTS_MS);
  return openFirst({ ...target, signal }, async (address) => {
    try {
      return await thread.once("endpoints", { url: urlOf(target, address), timeoutMs: ENDPOINTS_MS });
    } catch (cause) {
      throw errorOf(reasonIn(cause));
    }
  });
}
