import { nonBlank } from "../../../../lib/core/defined.ts";
import { DomainError, detail, errorReply } from "../../../../lib/core/domain-error.ts";
import { messageOf } from "../../../../lib/core/error-message.ts";
import { TextWriter } from "../../../../lib/data/text-writer.ts";
import { decodeBody } from "../../../../lib/json/body.ts";
import { isJsonObject, type JsonValue } from "../../../../lib/json/json.ts";
import { toPlainJson } from "../../../../lib/json/plain-json.ts";
import type { PublishPacket } from "../../../../lib/mqtt/packets.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import type { BrokerMessage } from "../../../../platform/broker/broker.types.ts";
import type { BrokerConnection } from "../../../../platform/broker/broker-connection.ts";
import { TargetError } from "../../target.errors.ts";
import type {
  AlarmRecord,
  AttributesRecord,
  Batch,
  RowsRecord,
  Target,
  TargetContext,
  UplinkDevice,
  UplinkRecord,
} from "../../target.types.ts";
import { abortable } from "../abortable.ts";
import { toPublishError } from "../broker-errors.ts";
import { BrokerLink, BrokerTarget } from "../broker-link.ts";
import { packRows } from "../row-packing.ts";
import { compilePayload, ROW_TEMPLATE, TemplateRows } from "../template-rows.ts";
import type { LinesideSettings } from "./lineside.schemas.ts";

/** Client attribute of a child with the id of its device. */
const DEVICE_ID_KEY = "linesideDeviceId";
const SITE_KEY = "linesideSite";

const NAME_CHARACTERS_MAX = 256;
/** Number of last digits of an id, which are random; the first digits are its time, which devices of an import share. */
const ID_DIGITS = 6;
/** Max. simultaneous requests and attributes waiting for their response. */
const REQUESTS_PARALLEL_MAX = 100;

interface ChildNamesDeps {
  readonly prefix: string;
  /** Resolves to a client attribute of a child; undefined if it has none. */
  readonly ask: (connection: BrokerConnection, child: string, key: string) => Promise<unknown>;
}

const utf8 = new TextEncoder();

const gatewayMessage = (topic: string, body: unknown): BrokerMessage => ({
  topic: `v1/gateway/${topic}`,
  payload: utf8.encode(JSON.stringify(body)),
  qos: 1,
});

/**
 * Names of devices at the upstream server. The first device to use a name claims it by a client attribute with its id, so that the name stays
 * assigned over restarts of both sides without a local file. A second device of the same name gets the last digits of its id appended.
 */
class ChildNames {
  readonly #deps: ChildNamesDeps;
  /** Names by device id, on this connection. */
  readonly #names = new Map<string, { readonly wanted: string; readonly child: string }>();
  /** Device ids by child name. */
  readonly #devices = new Map<string, string>();

  constructor(deps: ChildNamesDeps) {
    this.#deps = deps;
  }

  /** Forgets names, so that the next connection requests them again. */
  forget(): void {
    this.#names.clear();
    this.#devices.clear();
  }

  /** Returns the name found by `claim`. */
  nameOf({ deviceId }: UplinkDevice): string {
    return this.#names.get(deviceId)?.child ?? "";
  }

  /** Releases a name, so that the next device of this name continues its history. */
  release({ deviceId }: UplinkDevice): void {
    const child = this.#names.get(deviceId)?.child;
    this.#names.delete(deviceId);
    if (child !== undefined) this.#devices.delete(child);
  }

  /** Finds names for devices without one, and claims them at the server. @throws TargetError */
  async claim(connection: BrokerConnection, devices: readonly UplinkDevice[]): Promise<void> {
    const missing = [...new Map(devices.map((device) => [device.deviceId, device])).values()].filter(
      (device) => this.#names.get(device.deviceId)?.wanted !== this.#wantedNameOf(device),
    );
    for (let start = 0; start < missing.length; start += REQUESTS_PARALLEL_MAX) {
      const part = missing.slice(start, start + REQUESTS_PARALLEL_MAX);
      await Promise.all(part.map((device) => this.#claimOne(connection, device)));
    }
  }

  /** Returns the device of a child, of this or an earlier connection. */
  async deviceOf(connection: BrokerConnection, child: string): Promise<string | undefined> {
    const deviceId = this.#devices.get(child);
    if (deviceId !== undefined) return deviceId;
    if (child.length > NAME_CHARACTERS_MAX) return undefined;
    return nonBlank(await this.#deps.ask(connection, child, DEVICE_ID_KEY));
  }

  #wantedNameOf({ name }: UplinkDevice): string {
    return `${this.#deps.prefix}${name}`.slice(0, NAME_CHARACTERS_MAX).toWellFormed();
  }

  async #claimOne(connection: BrokerConnection, device: UplinkDevice): Promise<void> {
    const { deviceId, site, tags } = device;
    const wanted = this.#wantedNameOf(device);
    const child = await this.#findName(connection, device, wanted);
    this.#names.set(deviceId, { wanted, child });
    this.#devices.set(child, deviceId);
    const attributes = { ...tags, [DEVICE_ID_KEY]: deviceId, [SITE_KEY]: site };
    await send(connection, gatewayMessage("attributes", { [child]: attributes }));
  }

  /** Connects as the first child that does not belong to another device. */
  async #findName(connection: BrokerConnection, device: UplinkDevice, wanted: string): Promise<string> {
    const { deviceId, type } = device;
    const suffixed = [deviceId.slice(-ID_DIGITS), deviceId].map((digits) => {
      const suffix = ` (${digits})`;
      return `${wanted.slice(0, NAME_CHARACTERS_MAX - suffix.length)}${suffix}`;
    });
    let refusal: TargetError | undefined;
    for (const child of [wanted, ...suffixed]) {
      const holder = this.#devices.get(child);
      if (holder !== undefined && holder !== deviceId) continue;
      // Reserved before the first request, so that two devices of a batch do not claim the same name.
      this.#devices.set(child, deviceId);
      try {
        await send(connection, gatewayMessage("connect", { device: child, type }));
        const claimed = await this.#deps.ask(connection, child, DEVICE_ID_KEY);
        if (typeof claimed !== "string" || claimed === "" || claimed === deviceId) return child;
      } catch (error) {
        if (!(error instanceof TargetError) || error.reaction === "retry") throw error;
        // The server may know a device of this name that is not a child of this gateway.
        refusal = error;
      }
      this.#devices.delete(child);
    }
    // No values are to blame: a person must make room for the device, or let the gateway create it.
    const reason = `${messageOf(refusal?.cause ?? "")} (${wanted})`;
    throw new TargetError("settings", detail("uplink.access_refused", { reason }), refusal);
  }
}

async function send(connection: BrokerConnection, message: BrokerMessage): Promise<void> {
  try {
    await connection.publish(message);
  } catch (error) {
    throw toPublishError(error, message.topic);
  }
}

/** Max. commands waiting for their device. */
const RUNNING_MAX = 100;

interface LinesideCommandsDeps {
  readonly context: Pick<TargetContext, "command" | "commandsUnanswered">;
  readonly names: Pick<ChildNames, "deviceOf">;
}

/** Commands of the upstream server to children: `{"device", "data": {"id", "method", "params"}}`. */
class LinesideCommands {
  readonly #deps: LinesideCommandsDeps;
  readonly #running = new Set<Promise<void>>();
  /** The connection for which unanswered commands were reported. */
  #unanswered: BrokerConnection | undefined;

  constructor(deps: LinesideCommandsDeps) {
    this.#deps = deps;
  }

  /** Resolves when the running commands are answered, or after `ms`, when the server has dropped them. */
  settled(ms: number): Promise<unknown> {
    return Promise.race([Promise.all(this.#running), Bun.sleep(ms)]);
  }

  /** Runs a command and responds to it while the connection lasts. Occupies its slot until the response is acknowledged. Never rejects. */
  async run(connection: BrokerConnection, payload: Uint8Array): Promise<void> {
    const command = commandIn(payload);
    if (command === undefined) return;
    if (this.#running.size >= RUNNING_MAX) {
      this.#refuse(connection, command);
      return;
    }
    const answering = this.#answerTo(connection, command).then((data) =>
      connection.publish(responseMessage(command, data)).catch(() => undefined),
    );
    this.#running.add(answering);
    await answering.finally(() => this.#running.delete(answering));
  }

  /** Refuses a command. If there is no room for the refusal, the server's timeout applies. */
  #refuse(connection: BrokerConnection, command: ChildCommand): void {
    const refusal = errorReply(detail("uplink.commands_limit", { max: RUNNING_MAX }));
    if (connection.post(responseMessage(command, refusal)) || this.#unanswered === connection) return;
    this.#unanswered = connection;
    this.#deps.context.commandsUnanswered?.();
  }

  async #answerTo(connection: BrokerConnection, command: ChildCommand): Promise<JsonValue> {
    const { context, names } = this.#deps;
    try {
      const deviceId = await names.deviceOf(connection, command.device);
      if (deviceId === undefined || context.command === undefined)
        return errorReply(detail("uplink.device_unknown", { name: excerpt(command.device) }));
      return await context.command(deviceId, command.method, command.params);
    } catch (error) {
      return errorReply(error instanceof DomainError ? error : detail("request.failed"));
    }
  }
}

interface ChildCommand {
  readonly device: string;
  readonly id: number | string;
  readonly method: string;
  readonly params: JsonValue;
}

const responseMessage = ({ device, id }: ChildCommand, data: JsonValue): BrokerMessage =>
  gatewayMessage("rpc", { device, id, data });

function commandIn(payload: Uint8Array): ChildCommand | undefined {
  try {
    const body = decodeBody(payload, "AUTO");
    if (!isJsonObject(body) || !isJsonObject(body.data) || typeof body.device !== "string") return undefined;
    const { id, method, params = null } = body.data;
    if (typeof method !== "string" || (typeof id !== "number" && typeof id !== "string")) return undefined;
    return { device: body.device, id, method, params: toPlainJson(params, "command") };
  } catch {
    return undefined;
  }
}

const RESPONSE_MS_MAX = 15_000;

interface PendingRequest {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests for client attributes of children. */
class ChildRequests {
  /** Open requests by id. */
  readonly #open = new Map<number, PendingRequest>();
  #lastId = 0;

  /** @throws TargetError */
  async ask(connection: BrokerConnection, child: string, key: string): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#open.set(id, { resolve, reject });
    const failed = (reason: ReturnType<typeof detail>) =>
      reject(new TargetError("retry", detail("uplink.unreachable", { reason })));
    const timer = setTimeout(
      () => failed(detail("network_error.no_response_within", { ms: RESPONSE_MS_MAX })),
      RESPONSE_MS_MAX,
    );
    const message = gatewayMessage("attributes/request", { id, device: child, client: true, key });
    connection.publish(message).catch((error) => reject(toPublishError(error, message.topic)));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#open.delete(id);
    }
  }

  /** Ends all requests after the connection has ended. */
  end(): void {
    const error = new TargetError(
      "retry",
      detail("uplink.unreachable", { reason: detail("broker_error.closed") }),
    );
    for (const { reject } of this.#open.values()) reject(error);
  }

  /** Processes a response `{"id", "device", "value"}`. */
  answered(payload: Uint8Array): void {
    try {
      const body = decodeBody(payload, "AUTO");
      if (isJsonObject(body)) this.#open.get(Number(body.id))?.resolve(body.value);
    } catch {
      // A response that cannot be read is none: the request times out.
    }
  }
}

const TELEMETRY = "v1/gateway/telemetry";
const COMMANDS = "v1/gateway/rpc";
const RESPONSES = "v1/gateway/attributes/response";
/** Max. keys per timestamp, and max. bytes of a key, at Lineside. */
const KEYS_MAX = 512;
const KEY_BYTES_MAX = 256;
/** Bytes of a packet in addition to its payload. */
const PACKET_HEAD_BYTES = 64;
const CLEARED = "CLEARED";
/** Numbers below this are read as seconds by Lineside. */
const SECONDS_BELOW = 1e11;
const toTs = (ts: number): number => (ts < SECONDS_BELOW ? ts / 1_000 : ts);

const rowTemplate = compilePayload(ROW_TEMPLATE);

/** Max. wait for running commands at the end, in ms. */
const SETTLING_MS = 2_000;

/**
 * Central Lineside or ThingsBoard, to which this gateway is one of its gateways and the devices are its children. A batch is durable once every
 * PUBACK has arrived: Lineside sends it after its commit. The server keeps one value per child, key and timestamp, so a repeated batch changes
 * nothing. Each message is about one child, so that its refusal is not hidden by accepted parts. The API cannot represent some records. Deletions,
 * NaN and infinities are skipped. Attributes become client attributes: `key`, `server.key` or `shared.key`; a deleted one keeps its last value. An
 * alarm becomes telemetry: `alarm.<type>` is its severity or `CLEARED`, for alarm rules, and `alarm.<type>.event` is the whole event.
 */
class LinesideTarget extends BrokerTarget {
  readonly #settings: LinesideSettings;
  protected readonly link: BrokerLink;
  readonly #names: ChildNames;
  readonly #commands: LinesideCommands;
  readonly #requests = new ChildRequests();
  readonly #writer = new TextWriter();
  /** Connection from which messages arrive. */
  #connection: BrokerConnection | undefined;

  constructor(settings: LinesideSettings, context: TargetContext) {
    super();
    this.#settings = settings;
    this.#names = new ChildNames({
      prefix: settings.namePrefix,
      ask: (connection, child, key) => this.#requests.ask(connection, child, key),
    });
    this.#commands = new LinesideCommands({ context, names: this.#names });
    this.link = new BrokerLink({
      settings,
      ...(settings.token !== undefined && { credentials: { username: settings.token } }),
      context,
      filters: context.command === undefined ? [RESPONSES] : [RESPONSES, COMMANDS],
      receive: (message) => this.#receive(message),
      onConnection: (connection) => {
        this.#names.forget();
        this.#connection = connection;
      },
      onEnd: () => this.#requests.end(),
    });
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<void> {
    const connection = await this.link.connect(signal);
    // A deletion has no message, so it must not create a child.
    const devices = records.flatMap(({ kind, device }) => (kind === "deletion" ? [] : [device]));
    await abortable(this.#names.claim(connection, devices), signal, () => this.link.drop());
    const { messageBytesMax } = this.#settings;
    const bytesMax = Math.min(messageBytesMax, connection.limits.packetBytesMax - PACKET_HEAD_BYTES);
    await this.link.publish(this.#messages(records, bytesMax), signal);
  }

  /** Closes the target after running commands have responded, because the uplink may only be restarting with other settings. */
  override async close(): Promise<void> {
    await this.#commands.settled(SETTLING_MS);
    await super.close();
  }

  *#messages(records: readonly UplinkRecord[], bytesMax: number): Generator<BrokerMessage> {
    for (const record of records) {
      const child = this.#names.nameOf(record.device);
      if (record.kind === "rows") yield* this.#rows(record, child, bytesMax);
      else if (record.kind === "attributes") yield* attributes(record, child);
      else if (record.kind === "alarm")
        yield gatewayMessage("telemetry", {
          [child]: [{ ts: toTs(record.ts), values: alarmValues(record) }],
        });
      else if (record.kind === "device" && record.change === "deleted") {
        yield gatewayMessage("attributes", { [child]: { [DEVICE_ID_KEY]: "" } });
        yield gatewayMessage("disconnect", { device: child });
        this.#names.release(record.device);
      }
    }
  }

  *#rows(record: RowsRecord, child: string, bytesMax: number): Generator<BrokerMessage> {
    const rows = new TemplateRows(this.#writer, record, {
      template: rowTemplate,
      head: `{${JSON.stringify(child)}:[`,
      tail: "]}",
      nonFinite: "omitted",
      keysMax: KEYS_MAX,
      toTs,
    });
    for (const payload of packRows(this.#writer, rows, { bytesMax, rowsMax: Number.POSITIVE_INFINITY }))
      yield { topic: TELEMETRY, payload, qos: 1 };
  }

  #receive({ topic, payload }: PublishPacket): void {
    if (topic === RESPONSES) this.#requests.answered(payload);
    else if (topic === COMMANDS && this.#connection !== undefined)
      void this.#commands.run(this.#connection, payload);
  }
}

const scopePrefixes = { CLIENT: "", SERVER: "server.", SHARED: "shared." } as const;

/** Truncates a key to Lineside's limit. */
function shortKey(key: string): string {
  let short = key;
  while (Buffer.byteLength(short) > KEY_BYTES_MAX) short = short.slice(0, -1);
  return short.toWellFormed();
}

function* attributes({ scope, values }: AttributesRecord, child: string): Generator<BrokerMessage> {
  const kept = Object.entries(values).filter(([, value]) => value !== null);
  const renamed = kept.map(([key, value]) => [shortKey(`${scopePrefixes[scope]}${key}`), value]);
  if (renamed.length > 0) yield gatewayMessage("attributes", { [child]: Object.fromEntries(renamed) });
}

function alarmValues({ alarmId, type, severity, status, event, eventId, message }: AlarmRecord) {
  const isCleared = status.startsWith(CLEARED);
  return {
    [shortKey(`alarm.${type}`)]: isCleared ? CLEARED : severity,
    [shortKey(`alarm.${type}.event`)]: { alarmId, eventId, event, status, severity, message },
  };
}

export const createLinesideTarget = (settings: LinesideSettings, context: TargetContext): Target =>
  new LinesideTarget(settings, context);
