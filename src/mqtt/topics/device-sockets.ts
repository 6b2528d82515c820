import { DomainError, invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { invariant } from "../../lib/core/invariant.ts";
import { type BodyEncoding, decodeBody, EncodedObject, encodeBody } from "../../lib/json/body.ts";
import { isJsonObject, type JsonObject } from "../../lib/json/json.ts";
import type { Command } from "../../modules/commands/commands.types.ts";
import type { IngestService } from "../../modules/ingest/ingest.service.ts";
import type { IngestDevice, MessageKind } from "../../modules/ingest/ingest.types.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { DevicePeer, DeviceSocket, DeviceSocketServer } from "../device-sockets.types.ts";
import { commandTopic } from "./device-commands.ts";
import { longForm, unknownTopic } from "./topics.ts";

/*
 * WebSocket for one device: the topics and bodies of MQTT, one object per frame. `{topic, …body}`, or `{topic, body}` if the
 * body is not an object; text frames are JSON, binary frames CBOR. With `ack`, any string or number, the gateway responds `{ack}`
 * when the message is on disk.
 */

/** Max. frames of one device that wait for their turn and commit. */
const IN_FLIGHT_MAX = 10_000;
const IN_FLIGHT_BYTES_MAX = 4 * 1024 * 1024;
const SAMPLE_BYTES = 256;
const ACK_CHARACTERS_MAX = 64;
/** RFC 6455, 7.4.1. */
const POLICY = 1008;
const TRY_AGAIN_LATER = 1013;
const TOO_MANY = "too many messages wait to be stored";

/** What happens with devices and their messages. */
interface DeviceSocketHandlers {
  /** Handles messages other than telemetry and attributes; undefined for an unknown topic. */
  onMessage(device: IngestDevice, topic: string, body: Uint8Array): Promise<void> | undefined;
  onConnected(device: IngestDevice): void;
  onDisconnected(device: IngestDevice): void;
}

interface DeviceSocketsDeps {
  readonly ingest: Pick<IngestService, "frame" | "reject">;
  readonly frameBytesMax: number;
  readonly log: Logger;
}

interface Connection {
  readonly device: IngestDevice;
  readonly peer: DevicePeer;
  inFlight: number;
  inFlightBytes: number;
  /** Frames that exceed one round of the event loop. */
  readonly waiting: (string | Uint8Array)[];
  waitingBytes: number;
  isWorking: boolean;
  /** Encoding of the newest message of the device; before the first one, that of its profile. */
  speaks: "JSON" | "CBOR";
}

interface Frame {
  readonly topic: string;
  readonly body: unknown;
  readonly ack: string | number | undefined;
}

/** @throws DomainError of kind `invalid`. */
function toFrame(decoded: unknown): Frame {
  if (!isJsonObject(decoded)) throw invalid("frame.invalid");
  const { topic, ack, ...rest } = decoded;
  if (typeof topic !== "string" || topic === "" || topic.length > 256) throw invalid("frame.topic_missing");
  const mayAck = typeof ack === "number" || (typeof ack === "string" && ack.length <= ACK_CHARACTERS_MAX);
  if (ack !== undefined && !mayAck) throw invalid("frame.ack_invalid", { max: ACK_CHARACTERS_MAX });
  const isWrapped = Object.keys(rest).length === 1 && "body" in rest;
  return { topic, body: isWrapped ? rest.body : rest, ack };
}

/**
 * Returns whether a body may be merged into a frame. Names in the body must not be mistaken for names of the frame, because names of attributes must
 * not affect the routing.
 */
const mayMerge = (body: unknown): body is JsonObject =>
  isJsonObject(body) && !["topic", "ack", "body"].some((name) => Object.hasOwn(body, name));

const INGEST_TOPICS: ReadonlyMap<string, MessageKind> = new Map([
  ["v1/devices/me/telemetry", "telemetry"],
  ["v2/t", "telemetry"],
  ["v1/devices/me/attributes", "attributes"],
  ["v2/a", "attributes"],
]);

/** WebSockets of devices, one per device: a new one replaces the previous one. */
export class DeviceSockets implements DeviceSocketServer {
  readonly #deps: DeviceSocketsDeps;
  #connected: DeviceSocketHandlers | undefined;
  readonly #connections = new Map<DeviceId, Connection>();

  constructor(deps: DeviceSocketsDeps) {
    this.#deps = deps;
  }

  /** Connects the handlers, once and before the first connection. */
  handle(handlers: DeviceSocketHandlers): void {
    invariant(this.#connected === undefined, "the handlers of WebSockets are connected once");
    this.#connected = handlers;
  }

  get #handlers(): DeviceSocketHandlers {
    invariant(this.#connected !== undefined, "the handlers of WebSockets are connected");
    return this.#connected;
  }

  open(device: IngestDevice, peer: DevicePeer): DeviceSocket {
    const connection: Connection = {
      device,
      peer,
      inFlight: 0,
      inFlightBytes: 0,
      waiting: [],
      waitingBytes: 0,
      isWorking: false,
      speaks: device.payload === "CBOR" ? "CBOR" : "JSON",
    };
    this.#connections.get(device.deviceId)?.peer.close(POLICY, "the device has connected again");
    this.#connections.set(device.deviceId, connection);
    this.#handlers.onConnected(device);
    return {
      message: (frame) => this.#arrive(connection, frame),
      closed: () => this.#closed(connection),
    };
  }

  isOpen(deviceId: DeviceId): boolean {
    return this.#connections.has(deviceId);
  }

  /** Returns the encoding of frames to a device. */
  encodingOf(deviceId: DeviceId): BodyEncoding {
    return this.#connections.get(deviceId)?.speaks ?? "JSON";
  }

  /** Publishes to a device; does nothing if it is not connected. */
  publish(deviceId: DeviceId, topic: string, body: unknown): void {
    const connection = this.#connections.get(deviceId);
    if (connection === undefined) return;
    if (body instanceof EncodedObject) {
      const members = [["topic", encodeBody(body.encoding, topic)] as const, ...body.members];
      this.#send(connection, new EncodedObject(body.encoding, members));
    } else this.#send(connection, mayMerge(body) ? { topic, ...body } : { topic, body });
  }

  /** Sends a command. Returns false if the device is not connected. */
  send({ deviceId, rpcId, method, params }: Command): boolean {
    if (!this.#connections.has(deviceId)) return false;
    this.publish(deviceId, commandTopic(rpcId), { method, params });
    return true;
  }

  /** Ends the connection of a device that was deleted or has other credentials. */
  disconnect(deviceId: DeviceId): void {
    this.#connections.get(deviceId)?.peer.close(POLICY, "the device may not be connected any more");
  }

  #closed(connection: Connection): void {
    const { device } = connection;
    connection.waiting.length = 0;
    if (this.#connections.get(device.deviceId) !== connection) return;
    this.#connections.delete(device.deviceId);
    this.#handlers.onDisconnected(device);
  }

  #send({ peer, speaks }: Connection, frame: unknown): void {
    const bytes = encodeBody(speaks, frame);
    peer.send(speaks === "CBOR" ? bytes : Buffer.from(bytes).toString());
  }

  /** Handles a frame immediately if there is time, otherwise after earlier frames in turn. */
  #arrive(connection: Connection, data: string | Uint8Array): void {
    const { device, waiting, peer } = connection;
    if (!connection.isWorking) {
      const turn = workShare.enter({ tenantId: device.tenantId, userId: device.deviceId });
      if (turn === undefined) {
        this.#receive(connection, data);
        return;
      }
      void this.#work(connection, turn);
    }
    const isFull =
      waiting.length + connection.inFlight >= IN_FLIGHT_MAX ||
      connection.waitingBytes + connection.inFlightBytes >= IN_FLIGHT_BYTES_MAX;
    if (isFull) peer.close(TRY_AGAIN_LATER, TOO_MANY);
    else {
      waiting.push(data);
      connection.waitingBytes += data.length;
    }
  }

  async #work(connection: Connection, turn: Promise<void>): Promise<void> {
    const { device, waiting } = connection;
    connection.isWorking = true;
    await turn;
    for (let data = waiting.shift(); data !== undefined; data = waiting.shift()) {
      connection.waitingBytes -= data.length;
      this.#receive(connection, data);
      await workShare.pause({ tenantId: device.tenantId, userId: device.deviceId });
    }
    connection.isWorking = false;
  }

  #receive(connection: Connection, data: string | Uint8Array): void {
    const { device, peer } = connection;
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    const encoding: BodyEncoding = typeof data === "string" ? "JSON" : "AUTO";
    const isFull = connection.inFlight >= IN_FLIGHT_MAX || connection.inFlightBytes >= IN_FLIGHT_BYTES_MAX;
    if (device.revoked) {
      peer.close(POLICY, "the device may not be connected any more");
      return;
    }
    if (isFull) {
      peer.close(TRY_AGAIN_LATER, TOO_MANY);
      return;
    }
    let frame: Frame | undefined;
    try {
      if (bytes.byteLength > this.#deps.frameBytesMax)
        throw invalid("frame.too_large", { frameBytesMax: this.#deps.frameBytesMax });
      const decoded = decodeBody(bytes, encoding, (reason) =>
        this.#list(device, reason, { where: "ws", bytes }),
      );
      connection.speaks = typeof data === "string" ? "JSON" : "CBOR";
      frame = toFrame(decoded);
      this.#await(connection, frame, { bytes, done: this.#take(device, frame, bytes) });
    } catch (error) {
      // Ingest lists its own refusals.
      if (frame === undefined) this.#list(device, error, { where: "ws", bytes });
      this.#refuse(connection, frame, error);
    }
  }

  #take(device: IngestDevice, { topic, body }: Frame, bytes: Uint8Array): Promise<void> {
    const kind = topic === device.telemetryTopic ? "telemetry" : INGEST_TOPICS.get(topic);
    if (kind !== undefined) return this.#deps.ingest.frame(device, kind, { body, bytes });
    const handled = this.#handlers.onMessage(device, longForm(topic), encodeBody(device.payload, body ?? {}));
    if (handled !== undefined) return handled;
    const unknown = new DomainError("invalid", unknownTopic(device, topic));
    this.#list(device, unknown, { where: topic, bytes });
    throw unknown;
  }

  #await(connection: Connection, frame: Frame, { bytes, done }: { bytes: Uint8Array; done: Promise<void> }) {
    const size = bytes.byteLength;
    connection.inFlight++;
    connection.inFlightBytes += size;
    done
      .then(
        () => frame.ack !== undefined && this.#send(connection, { ack: frame.ack }),
        (error: unknown) => this.#refuse(connection, frame, error),
      )
      .finally(() => {
        connection.inFlight--;
        connection.inFlightBytes -= size;
      })
      .catch((error: unknown) => this.#deps.log.error("answering a device failed", { error }));
  }

  #list(device: IngestDevice, error: unknown, { where, bytes }: { where: string; bytes: Uint8Array }): void {
    if (!(error instanceof DomainError)) return;
    const { code, params } = error;
    this.#deps.ingest.reject(device, {
      source: "ws",
      where,
      code,
      params,
      sample: bytes.slice(0, SAMPLE_BYTES),
    });
  }

  #refuse(connection: Connection, frame: Frame | undefined, error: unknown): void {
    const isOurs = !(error instanceof DomainError) || error.kind === "unavailable";
    if (!(error instanceof DomainError))
      this.#deps.log.error("message of a device failed", { deviceId: connection.device.deviceId, error });
    const { code, message } =
      error instanceof DomainError ? error : { code: "internal", message: "The message could not be taken." };
    const { topic, ack } = frame ?? {};
    this.#send(connection, {
      ...(ack !== undefined && { ack }),
      ...(topic !== undefined && { topic }),
      error: { code, message },
    });
    // Unacknowledged: the device connects again and sends again.
    if (isOurs) connection.peer.close(TRY_AGAIN_LATER, "the message was not stored");
  }
}
