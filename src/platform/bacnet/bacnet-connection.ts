import { createSocket, type Socket } from "node:dgram";
import { type BacnetRef, objectText, PROPERTIES } from "../../lib/bacnet/bacnet-objects.ts";
import {
  type BacnetData,
  BacnetFormatError,
  type BacnetRead,
  type BacnetRoute,
  BVLC,
  objectOf,
  parseCovNotification,
  parseError,
  parseFrame,
  parseReadProperty,
  parseReadPropertyMultiple,
  REQUEST_HEAD,
  readPropertyBody,
  readPropertyMultipleBody,
  refKey,
  requestApdu,
  requestFrame,
  SEGMENT_BYTES_MAX,
  SEGMENTS_MAX,
  SERVICE,
  segmentAckApdu,
  subscribeCovBody,
  TAG,
  writePropertyBody,
} from "../../lib/bacnet/bacnet-pdu.ts";
import { conflict, detail, invalid, timedOut } from "../../lib/core/domain-error.ts";
import { EndingConnection } from "../network/ending-connection.ts";
import { openFirst } from "../network/first-reachable.ts";
import type { OutboundRule } from "../network/outbound-address.ts";
import type { Clock } from "../time/clock.ts";

export interface BacnetConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly deviceInstance: number;
  /** Location of a device behind a router: network number, and the address there as hexadecimal digits. Null for a device at the host itself. */
  readonly network: number | null;
  readonly mac: string | null;
  /** Timeout of each response, or of each segment of a long one, in ms. */
  readonly timeoutMs: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly clock: Pick<Clock, "schedule" | "monotonic">;
  readonly signal: AbortSignal;
}

/** Kind of message that refuses a request. */
type RefusalKind = "error" | "reject" | "abort";

/** Refusal of a request by the device. `code` is the error code, or the reason of a reject or abort. */
export class BacnetRefusal extends Error {
  constructor(
    readonly refusalCode: number,
    readonly kind: RefusalKind = "error",
  ) {
    super(`BACnet ${kind} ${refusalCode}`);
  }
}

const PDU = { simpleAck: 2, complexAck: 3, error: 5, reject: 6, abort: 7 } as const;
const SEGMENTED = 0x08;
const MORE_FOLLOWS = 0x04;
/** Reason of a reject: the device does not know the service. */
const UNKNOWN_SERVICE = 9;
/** Reasons of an abort: the response is too long for the device. */
const RESPONSE_TOO_LONG: readonly number[] = [1, 4, 11];
/** Instance number that every device accepts as its own. */
const ANY_INSTANCE = 0x3f_ffff;
const DEVICE = 8;
const SUBSCRIPTION_MS_MIN = 600_000;
/** Max. messages received per request. The connection ends beyond it, because a sender could continue without end. */
const MESSAGES_MAX = 1_000;
const UNKNOWN_PROPERTY = 32;

interface Pending {
  readonly invokeId: number;
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
  readonly segments: Buffer[];
  messages: number;
  cancel: () => void;
}

/**
 * Connection to one device, which gets one request at a time. It has a socket of its own that accepts messages only from the address of the device,
 * so other programs can use the port of BACnet. A missing or unreadable response ends the connection.
 */
export class BacnetConnection extends EndingConnection {
  readonly #socket: Socket;
  readonly #options: BacnetConnectionOptions;
  readonly #route: BacnetRoute | undefined;
  #invokeId = 0;
  #pending: Pending | undefined;
  /** Called with the object whose value has changed. */
  onChange: (change: string) => void = () => undefined;
  /** Subscriptions and refused subscriptions by object, with the monotonic time of their renewal. */
  readonly #subscribed = new Map<string, { readonly renewAt: number; readonly isRefused: boolean }>();
  /** Whether the device reads several properties with one request. */
  #readsMany = true;
  /** Max. properties per request, so that the device can send the response. */
  #refsMax = Number.POSITIVE_INFINITY;
  /** Max. length of a request in bytes. Controllers on MS/TP may accept only 50, and do not respond to longer ones. */
  #requestMax = Number.POSITIVE_INFINITY;

  private constructor(socket: Socket, options: BacnetConnectionOptions) {
    super();
    this.#socket = socket;
    this.#options = options;
    const { network, mac } = options;
    this.#route = network === null ? undefined : { network, mac: Buffer.from(mac ?? "", "hex") };
    // Includes reports about undelivered messages.
    socket.on("error", (error) => this.end(error));
    socket.on("message", (bytes) => {
      try {
        this.#take(bytes);
      } catch (error) {
        this.end(error instanceof BacnetFormatError ? error : new BacnetFormatError());
      }
    });
  }

  /** @throws Error of the network, BacnetFormatError, or DomainError: `timed_out`, another device, an address that is not allowed */
  static open(options: BacnetConnectionOptions): Promise<BacnetConnection> {
    return openFirst(options, async (address) => {
      if (address.includes(":")) throw invalid("bacnet.needs_ipv4");
      const connection = new BacnetConnection(createSocket("udp4"), options);
      await connection.#connect(address);
      return connection;
    });
  }

  get localAddress(): { readonly address: string; readonly port: number } {
    return this.#socket.address();
  }

  /**
   * Reads properties. Resolves to the values of each property, or to the refusal by the device.
   * @throws DomainError `timed_out`, BacnetFormatError, or Error of the network
   */
  async read(refs: readonly BacnetRef[]): Promise<(readonly BacnetData[] | BacnetRefusal)[]> {
    if (refs.length > 1 && this.#readsMany) {
      const reads = await this.#readMany(refs);
      if (reads !== undefined) return reads;
      const middle = Math.ceil(refs.length / 2);
      return [...(await this.read(refs.slice(0, middle))), ...(await this.read(refs.slice(middle)))];
    }
    const reads: (readonly BacnetData[] | BacnetRefusal)[] = [];
    for (const ref of refs)
      reads.push(
        await this.readOne(ref).catch((error) => {
          if (error instanceof BacnetRefusal) return error;
          throw error;
        }),
      );
    return reads;
  }

  /** @throws BacnetRefusal, and as `read` */
  async readOne(ref: BacnetRef): Promise<readonly BacnetData[]> {
    const body = await this.#request(SERVICE.readProperty, readPropertyBody(ref));
    return this.#parsed(() => parseReadProperty(body, ref));
  }

  /** @throws BacnetRefusal, and as `read` */
  async write(ref: BacnetRef, data: Buffer, priority: number | undefined): Promise<void> {
    await this.#request(SERVICE.writeProperty, writePropertyBody(ref, data, priority));
  }

  /**
   * Subscribes to changes of an object, or renews the subscription after half of its lifetime. The object is also polled at its interval, so a third
   * of the lifetime remains if a renewal was too early. Returns whether the device reports changes.
   */
  async subscribe(object: Pick<BacnetRef, "type" | "instance">, intervalMs: number): Promise<boolean> {
    const name = objectText(object);
    const before = this.#subscribed.get(name);
    const now = this.#options.clock.monotonic();
    if (before !== undefined && before.renewAt > now) return !before.isRefused;
    const periodMs = Math.max(SUBSCRIPTION_MS_MIN, 3 * intervalMs);
    const isRefused = await this.#request(
      SERVICE.subscribeCov,
      subscribeCovBody(object, Math.ceil(periodMs / 1_000)),
    ).then(
      () => false,
      (error) => {
        if (error instanceof BacnetRefusal) return true;
        throw error;
      },
    );
    this.#subscribed.set(name, { renewAt: now + periodMs / 2, isRefused });
    return !isRefused;
  }

  /** Reads properties with one request. Resolves to undefined if the device cannot answer all of them together. */
  async #readMany(
    refs: readonly BacnetRef[],
  ): Promise<(readonly BacnetData[] | BacnetRefusal)[] | undefined> {
    const request = readPropertyMultipleBody(refs);
    if (refs.length > this.#refsMax || REQUEST_HEAD + request.length > this.#requestMax) return undefined;
    const body = await this.#request(SERVICE.readPropertyMultiple, request).catch((error) => {
      if (!(error instanceof BacnetRefusal)) throw error;
      const { kind, refusalCode } = error;
      if (kind === "reject" && refusalCode === UNKNOWN_SERVICE) this.#readsMany = false;
      if (kind === "abort" && RESPONSE_TOO_LONG.includes(refusalCode))
        this.#refsMax = Math.ceil(refs.length / 2);
      return undefined;
    });
    if (body === undefined) return undefined;
    const reads: ReadonlyMap<string, BacnetRead> = this.#parsed(() => parseReadPropertyMultiple(body));
    return refs.map((ref) => {
      const read = reads.get(refKey(ref)) ?? UNKNOWN_PROPERTY;
      return typeof read === "number" ? new BacnetRefusal(read) : read;
    });
  }

  /** Ends the connection if the response cannot be parsed. */
  #parsed<Result>(parse: () => Result): Result {
    try {
      return parse();
    } catch (error) {
      const failure = error instanceof BacnetFormatError ? error : new BacnetFormatError();
      this.end(failure);
      throw failure;
    }
  }

  /** Checks the identity of the device, because an address may now belong to another device. */
  async #connect(address: string): Promise<void> {
    const { port, signal, deviceInstance } = this.#options;
    const giveUp = () => this.close();
    signal.addEventListener("abort", giveUp);
    const connected = Promise.withResolvers<void>();
    this.#socket.connect(port, address, connected.resolve);
    await Promise.race([connected.promise, this.closed]);
    try {
      const own = { type: DEVICE, instance: deviceInstance, property: PROPERTIES["object-identifier"] };
      const [read] = await this.read([own]);
      if (read instanceof BacnetRefusal) throw await this.#otherDevice();
      const [length] = await this.read([{ ...own, property: PROPERTIES["max-apdu-length-accepted"] }]);
      const bytes = length === undefined || length instanceof BacnetRefusal ? undefined : length[0]?.value;
      if (typeof bytes === "number") this.#requestMax = bytes;
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
      throw error;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  async #otherDevice(): Promise<Error> {
    const { deviceInstance: instance } = this.#options;
    const any = { type: DEVICE, instance: ANY_INSTANCE, property: PROPERTIES["object-identifier"] };
    const apdu = await this.#request(SERVICE.readProperty, readPropertyBody(any)).catch(() => undefined);
    const bits = apdu && apdu.length >= 5 && apdu[0] === 0x0c ? apdu.readUInt32BE(1) : undefined;
    return bits === undefined
      ? conflict("bacnet.wrong_device", { instance })
      : conflict("bacnet.other_device", { instance, other: objectOf(bits).instance });
  }

  /** Resolves to the content of the response. @throws BacnetRefusal */
  async #request(service: number, body: Buffer): Promise<Buffer> {
    this.ensureOpen();
    this.#invokeId = (this.#invokeId % 255) + 1;
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const pending: Pending = {
      invokeId: this.#invokeId,
      resolve,
      reject,
      segments: [],
      messages: 0,
      cancel: () => undefined,
    };
    this.#pending = pending;
    this.#waitFor(pending);
    this.#send(requestApdu(this.#invokeId, service, body));
    try {
      return await promise;
    } finally {
      pending.cancel();
      if (this.#pending === pending) this.#pending = undefined;
    }
  }

  #waitFor(pending: Pending): void {
    const { clock, timeoutMs } = this.#options;
    pending.cancel();
    pending.cancel = clock.schedule(timeoutMs, () =>
      this.end(timedOut("bacnet.no_response", { ms: timeoutMs })),
    );
  }

  #send(apdu: Buffer): void {
    this.#socket.send(requestFrame(apdu, this.#route), (error) => error && this.end(error));
  }

  /** Assigns a message to the pending request. Ignores other messages. */
  #take(bytes: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined && this.#subscribed.size === 0) return;
    if (pending !== undefined && ++pending.messages > MESSAGES_MAX)
      throw new BacnetFormatError(detail("bacnet_protocol.endless"));
    const apdu = this.#messageOf(bytes);
    if (apdu === undefined) return;
    const changed = parseCovNotification(apdu);
    // Reports only that the value has changed; it is read like any other value.
    if (changed !== undefined) this.onChange(objectText(changed));
    if (changed !== undefined || pending === undefined) return;
    const kind = apdu.readUInt8(0) >> 4;
    if (apdu.readUInt8(1) !== pending.invokeId) return;
    this.noteResponse();
    if (kind === PDU.complexAck) this.#takeResponse(apdu, pending);
    else if (kind === PDU.simpleAck) pending.resolve(Buffer.alloc(0));
    else if (kind === PDU.error) pending.reject(new BacnetRefusal(parseError(apdu.subarray(3))));
    else if (kind === PDU.reject) pending.reject(new BacnetRefusal(apdu.readUInt8(2), "reject"));
    else if (kind === PDU.abort) pending.reject(new BacnetRefusal(apdu.readUInt8(2), "abort"));
  }

  /** Returns the message of the device in a frame; undefined for frames of other devices. */
  #messageOf(bytes: Buffer): Buffer | undefined {
    const frame = parseFrame(bytes);
    if (frame?.kind !== BVLC.unicast) return undefined;
    const { network } = this.#options;
    if (frame.unreachable === undefined) return this.#isFromDevice(frame.source) ? frame.apdu : undefined;
    if (frame.unreachable === network) this.end(conflict("bacnet.no_way", { network }));
    return undefined;
  }

  #isFromDevice(source: BacnetRoute | undefined): boolean {
    const route = this.#route;
    if (route === undefined || source === undefined) return route === source;
    return route.network === source.network && Buffer.compare(route.mac, source.mac) === 0;
  }

  #takeResponse(apdu: Buffer, pending: Pending): void {
    const flags = apdu.readUInt8(0);
    const { segments, invokeId } = pending;
    if ((flags & SEGMENTED) === 0) {
      pending.resolve(apdu.subarray(3));
      return;
    }
    const sequence = apdu.readUInt8(2);
    const isNext = sequence === segments.length;
    // The acknowledgement of the last one may have been lost.
    if (isNext || sequence === segments.length - 1) this.#send(segmentAckApdu(invokeId, sequence));
    if (!isNext) return;
    if (segments.length >= SEGMENTS_MAX || apdu.length > SEGMENT_BYTES_MAX)
      throw new BacnetFormatError(detail("bacnet_protocol.endless"));
    segments.push(apdu.subarray(5));
    if ((flags & MORE_FOLLOWS) === 0) pending.resolve(Buffer.concat(segments));
    else this.#waitFor(pending);
  }

  protected release(error: Error): void {
    this.#pending?.cancel();
    this.#pending?.reject(error);
    this.#socket.close();
  }
}

/** Returns the bits of a bit-string property as a string of 0 and 1. */
export const bitsIn = (read: readonly BacnetData[] | BacnetRefusal | undefined): string => {
  if (read === undefined || read instanceof BacnetRefusal) return "";
  const [data] = read;
  return data?.tag === TAG.bits && typeof data.value === "string" ? data.value : "";
};
