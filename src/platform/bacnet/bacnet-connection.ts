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
  SEGMENTS_MAX,
  SERVICE,
  segmentAckApdu,
  subscribeCovBody,
  TAG,
  writePropertyBody,
} from "../../lib/bacnet/bacnet-pdu.ts";
import { conflict, detail, invalid, timedOut } from "../../lib/core/domain-error.ts";
import { openFirst } from "../network/open-first.ts";
import type { OutboundRule } from "../network/outbound-address.ts";
import type { Clock } from "../time/clock.ts";

export interface BacnetConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly deviceInstance: number;
  /** Network of the device behind a router, and its address there in hexadecimal digits; null for a device at the host itself. */
  readonly network: number | null;
  readonly mac: string | null;
  /** Time for each answer, or for each part of a long one, ms. */
  readonly timeoutMs: number;
  readonly addresses: Pick<OutboundRule, "resolve">;
  readonly clock: Pick<Clock, "schedule" | "monotonic">;
  readonly signal: AbortSignal;
}

/** What kind of message refuses a request. */
type RefusalKind = "error" | "reject" | "abort";

/** The device does not do what was asked. The code is that of an error, or the reason of a reject or abort. */
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
/** Reasons of an abort: the answer is too long for the device. */
const ANSWER_TOO_LONG: readonly number[] = [1, 4, 11];
/** Number that every device takes for its own. */
const ANY_INSTANCE = 0x3f_ffff;
const DEVICE = 8;
const SUBSCRIPTION_MS_MIN = 600_000;
/** Messages to one request, after which the connection ends: something could send them without end. */
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
 * One device, asked one request at a time. Its socket is its own and takes messages only from the address of the device: nobody else's answer
 * becomes its value, and other programs may use the port of BACnet. A request without an answer, and an answer that is none, end the connection.
 */
export class BacnetConnection {
  readonly #socket: Socket;
  readonly #options: BacnetConnectionOptions;
  readonly #route: BacnetRoute | undefined;
  readonly #closed = Promise.withResolvers<void>();
  #failure: Error | undefined;
  #hasAnswered = false;
  #invokeId = 0;
  #pending: Pending | undefined;
  /** Called with an object whose value has changed. */
  onChange: (change: string) => void = () => undefined;
  /** Subscriptions to changes, and refusals of them, by object: the time (monotonic) at which they are renewed. */
  readonly #subscribed = new Map<string, { readonly renewAt: number; readonly isRefused: boolean }>();
  /** Whether the device reads several properties with one request. */
  #readsMany = true;
  /** Properties of one request whose answer the device can send. */
  #refsMax = Number.POSITIVE_INFINITY;
  /** Longest request that the device takes, bytes: controllers on MS/TP may take 50 only, and are silent about longer ones. */
  #requestMax = Number.POSITIVE_INFINITY;

  private constructor(socket: Socket, options: BacnetConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const { network, mac } = options;
    this.#route = network === null ? undefined : { network, mac: Buffer.from(mac ?? "", "hex") };
    // Also what the network says about messages that were not delivered.
    socket.on("error", (error) => this.#end(error));
    socket.on("message", (bytes) => {
      try {
        this.#take(bytes);
      } catch (error) {
        this.#end(error instanceof BacnetFormatError ? error : new BacnetFormatError());
      }
    });
  }

  /** @throws Error of the network; BacnetFormatError; DomainError `timed_out`, or for another device or an address that is not allowed */
  static open(options: BacnetConnectionOptions): Promise<BacnetConnection> {
    return openFirst(options, async (address) => {
      if (address.includes(":")) throw invalid("bacnet.needs_ipv4");
      const connection = new BacnetConnection(createSocket("udp4"), options);
      await connection.#connect(address);
      return connection;
    });
  }

  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  get localAddress(): { readonly address: string; readonly port: number } {
    return this.#socket.address();
  }

  close(): void {
    this.#end(new Error("closed"));
  }

  /**
   * Reads properties. Resolves to the values of each, or to the refusal of the device.
   * @throws DomainError `timed_out`; BacnetFormatError; Error of the network
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
   * Asks the device to report changes of an object, or renews that halfway to its end. The object is read at its interval as well, so that
   * a third of the time remains for a renewal that came too early. Returns whether the device reports them.
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

  /** Reads properties with one request. Resolves to undefined if they are too many for one, or one of them is refused so that all are. */
  async #readMany(
    refs: readonly BacnetRef[],
  ): Promise<(readonly BacnetData[] | BacnetRefusal)[] | undefined> {
    const request = readPropertyMultipleBody(refs);
    if (refs.length > this.#refsMax || REQUEST_HEAD + request.length > this.#requestMax) return undefined;
    const body = await this.#request(SERVICE.readPropertyMultiple, request).catch((error) => {
      if (!(error instanceof BacnetRefusal)) throw error;
      const { kind, refusalCode } = error;
      if (kind === "reject" && refusalCode === UNKNOWN_SERVICE) this.#readsMany = false;
      if (kind === "abort" && ANSWER_TOO_LONG.includes(refusalCode))
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

  /** An answer that is none ends the connection. */
  #parsed<Result>(parse: () => Result): Result {
    try {
      return parse();
    } catch (error) {
      const failure = error instanceof BacnetFormatError ? error : new BacnetFormatError();
      this.#end(failure);
      throw failure;
    }
  }

  /** Asks the device who it is: an address may have gone over to another device. */
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
      this.#end(error instanceof Error ? error : new Error(String(error)));
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

  /** Resolves to the content of the answer. @throws BacnetRefusal */
  async #request(service: number, body: Buffer): Promise<Buffer> {
    if (this.#failure !== undefined) throw this.#failure;
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
      this.#end(timedOut("bacnet.no_answer", { ms: timeoutMs })),
    );
  }

  #send(apdu: Buffer): void {
    this.#socket.send(requestFrame(apdu, this.#route), (error) => error && this.#end(error));
  }

  /** Takes a message to the request that is under way; others are none of ours. */
  #take(bytes: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined && this.#subscribed.size === 0) return;
    if (pending !== undefined && ++pending.messages > MESSAGES_MAX)
      throw new BacnetFormatError(detail("bacnet_protocol.endless"));
    const apdu = this.#messageOf(bytes);
    if (apdu === undefined) return;
    const changed = parseCovNotification(apdu);
    // Only that it has changed: its value is read as any other.
    if (changed !== undefined) this.onChange(objectText(changed));
    if (changed !== undefined || pending === undefined) return;
    const kind = apdu.readUInt8(0) >> 4;
    if (apdu.readUInt8(1) !== pending.invokeId) return;
    this.#hasAnswered = true;
    if (kind === PDU.complexAck) this.#takeAnswer(apdu, pending);
    else if (kind === PDU.simpleAck) pending.resolve(Buffer.alloc(0));
    else if (kind === PDU.error) pending.reject(new BacnetRefusal(parseError(apdu.subarray(3))));
    else if (kind === PDU.reject) pending.reject(new BacnetRefusal(apdu.readUInt8(2), "reject"));
    else if (kind === PDU.abort) pending.reject(new BacnetRefusal(apdu.readUInt8(2), "abort"));
  }

  /** Returns the message of the device in a frame; undefined for another frame. */
  #messageOf(bytes: Buffer): Buffer | undefined {
    const frame = parseFrame(bytes);
    if (frame?.kind !== BVLC.unicast) return undefined;
    const { network } = this.#options;
    if (frame.unreachable === undefined) return this.#isFromDevice(frame.source) ? frame.apdu : undefined;
    if (frame.unreachable === network) this.#end(conflict("bacnet.no_way", { network }));
    return undefined;
  }

  #isFromDevice(source: BacnetRoute | undefined): boolean {
    const route = this.#route;
    if (route === undefined || source === undefined) return route === source;
    return route.network === source.network && Buffer.compare(route.mac, source.mac) === 0;
  }

  #takeAnswer(apdu: Buffer, pending: Pending): void {
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
    if (segments.length >= SEGMENTS_MAX) throw new BacnetFormatError(detail("bacnet_protocol.endless"));
    segments.push(apdu.subarray(5));
    if ((flags & MORE_FOLLOWS) === 0) pending.resolve(Buffer.concat(segments));
    else this.#waitFor(pending);
  }

  #end(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#pending?.cancel();
    this.#pending?.reject(error);
    this.#socket.close();
    this.#closed.resolve();
  }
}

/** Returns the bits of a property that has bits, as a text of 0 and 1. */
export const bitsIn = (read: readonly BacnetData[] | BacnetRefusal | undefined): string => {
  if (read === undefined || read instanceof BacnetRefusal) return "";
  const [data] = read;
  return data?.tag === TAG.bits && typeof data.value === "string" ? data.value : "";
};
