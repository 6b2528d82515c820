import type { PublishPacket } from "../../../lib/mqtt/packets.ts";
import { TextWriter } from "../../../lib/text-writer.ts";
import type { BrokerMessage } from "../../../platform/broker/broker.types.ts";
import type { BrokerConnection } from "../../../platform/broker/broker-connection.ts";
import type {
  AlarmRecord,
  AttributesRecord,
  Batch,
  RowsRecord,
  Target,
  TargetContext,
  UplinkRecord,
} from "../uplink.types.ts";
import { abortable } from "./abortable.ts";
import { BrokerLink } from "./broker-link.ts";
import { ChildNames, DEVICE_ID_KEY, gatewayMessage } from "./child-names.ts";
import { ChildQuestions } from "./child-questions.ts";
import type { LinesideSettings } from "./lineside.schemas.ts";
import { LinesideCommands } from "./lineside-commands.ts";
import { packRows } from "./row-packing.ts";
import { compilePayload, ROW_TEMPLATE, TemplateRows } from "./template-rows.ts";

const TELEMETRY = "v1/gateway/telemetry";
const COMMANDS = "v1/gateway/rpc";
const ANSWERS = "v1/gateway/attributes/response";
/** Keys of one time stamp, and bytes of a key, that Lineside takes. */
const KEYS_MAX = 512;
const KEY_BYTES_MAX = 256;
/** Bytes of a packet in addition to its payload. */
const PACKET_HEAD_BYTES = 64;
const CLEARED = "CLEARED";
/** Lineside reads smaller numbers as seconds. */
const SECONDS_BELOW = 1e11;
const toTs = (ts: number): number => (ts < SECONDS_BELOW ? ts / 1_000 : ts);

const rowTemplate = compilePayload(ROW_TEMPLATE);

/** Time for which the end waits for commands. */
const SETTLING_MS = 2_000;

/**
 * A central Lineside or ThingsBoard, which takes this gateway for one of its gateways and the devices for that gateway's children. A batch is durable
 * when every PUBACK is there: Lineside sends one after its commit. The server keeps one value for a child, key and time stamp, so a batch that is sent
 * again changes nothing. Each message speaks of one child, so that what is refused of it is not hidden by what is taken.
 *
 * The API has no place for some records. Deletions are passed over, and so are NaN and the infinities. Attributes are client attributes there:
 * `key`, `server.key` or `shared.key`; a deleted one keeps its last value. An alarm is telemetry: `alarm.<type>` is its severity or `CLEARED`, on
 * which an alarm rule can be based, and `alarm.<type>.event` is the whole event.
 */
class LinesideTarget implements Target {
  readonly inFlightMax = 1;
  readonly #settings: LinesideSettings;
  readonly #link: BrokerLink;
  readonly #names: ChildNames;
  readonly #commands: LinesideCommands;
  readonly #questions = new ChildQuestions();
  readonly #writer = new TextWriter();
  /** The connection that messages come from. */
  #connection: BrokerConnection | undefined;

  constructor(settings: LinesideSettings, context: TargetContext) {
    this.#settings = settings;
    this.#names = new ChildNames({
      prefix: settings.namePrefix,
      ask: (connection, child, key) => this.#questions.ask(connection, child, key),
    });
    this.#commands = new LinesideCommands({ context, names: this.#names });
    this.#link = new BrokerLink({
      settings,
      ...(settings.token !== undefined && { credentials: { username: settings.token } }),
      context,
      filters: context.command === undefined ? [ANSWERS] : [ANSWERS, COMMANDS],
      receive: (message) => this.#receive(message),
      onConnection: (connection) => {
        this.#names.forget();
        this.#connection = connection;
      },
      onEnd: () => this.#questions.end(),
    });
  }

  get bytesSent(): number {
    return this.#link.bytesSent;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#link.connect(signal);
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<void> {
    const connection = await this.#link.connect(signal);
    // A deletion has no message, so it must not create a child.
    const devices = records.flatMap(({ kind, device }) => (kind === "deletion" ? [] : [device]));
    await abortable(this.#names.claim(connection, devices), signal, () => this.#link.drop());
    const { messageBytesMax } = this.#settings;
    const bytesMax = Math.min(messageBytesMax, connection.limits.packetBytesMax - PACKET_HEAD_BYTES);
    await this.#link.publish(this.#messages(records, bytesMax), signal);
  }

  /** Commands that are almost done get their answer: the uplink may only be begun anew with other settings. */
  async close(): Promise<void> {
    await this.#commands.settled(SETTLING_MS);
    await this.#link.close();
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
    if (topic === ANSWERS) this.#questions.answered(payload);
    else if (topic === COMMANDS && this.#connection !== undefined)
      void this.#commands.run(this.#connection, payload);
  }
}

const scopePrefixes = { CLIENT: "", SERVER: "server.", SHARED: "shared." } as const;

/** Cuts a key to the length that Lineside takes. */
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
