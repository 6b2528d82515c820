import { detail } from "../../../../lib/core/domain-error.ts";
import { TextWriter } from "../../../../lib/data/text-writer.ts";
import type { BrokerMessage } from "../../../../platform/broker/broker.types.ts";
import { TargetError } from "../../target.errors.ts";
import type { Batch, RowsRecord, Target, TargetContext, UplinkRecord } from "../../target.types.ts";
import { BrokerLink, BrokerTarget } from "../broker-link.ts";
import { eventLine } from "../ndjson-encoder.ts";
import { PublishRun } from "../publish-run.ts";
import { packRows, type RowSource } from "../row-packing.ts";
import {
  compilePayload,
  type PayloadTemplate,
  ROW_TEMPLATE,
  TemplateRows,
  VALUE_TEMPLATE,
} from "../template-rows.ts";
import { compileTopic, type TopicTemplate, toMqttLevel } from "../topic-template.ts";
import { CborRows, writeCbor } from "./cbor-rows.ts";
import type { MqttTargetSettings } from "./mqtt.schemas.ts";
import { SparkplugNode } from "./sparkplug-node.ts";

const utf8 = new TextEncoder();
/** Bytes of a packet in addition to its payload. */
const PACKET_HEAD_BYTES = 1_024;

/** Encodes records as messages in one of the target's formats. */
interface Encoding {
  messages(record: UplinkRecord, bytesMax: number): Iterable<BrokerMessage>;
}

function compileTopicOf(template: string, field: string): TopicTemplate {
  if (/[+#]/.test(template))
    throw new TargetError(
      "settings",
      detail("uplink.setting_invalid", { field, reason: "+ and # are wildcards" }),
    );
  return compileTopic(template, { field, toLevel: toMqttLevel });
}

/** JSON or CBOR, generated from templates. */
class TemplateEncoding implements Encoding {
  readonly #settings: MqttTargetSettings;
  readonly #topic: TopicTemplate;
  readonly #eventTopic: TopicTemplate | undefined;
  readonly #payload: PayloadTemplate;
  readonly #writer = new TextWriter();

  constructor(settings: MqttTargetSettings) {
    this.#settings = settings;
    this.#topic = compileTopicOf(settings.topic, "topic");
    this.#eventTopic =
      settings.eventTopic === null ? undefined : compileTopicOf(settings.eventTopic, "eventTopic");
    this.#payload = compilePayload(settings.payload ?? (this.#topic.hasKey ? VALUE_TEMPLATE : ROW_TEMPLATE));
  }

  *messages(record: UplinkRecord, bytesMax: number): Generator<BrokerMessage> {
    if (record.kind === "rows") {
      if (this.#topic.hasKey) yield* this.#values(record);
      else yield* this.#rows(record, bytesMax);
      return;
    }
    if (this.#eventTopic === undefined) return;
    const topic = this.#eventTopic.topicOf(record.device, { event: record.kind });
    yield { topic, payload: this.#encoded(eventLine(record)), qos: 1 };
  }

  *#rows(record: RowsRecord, bytesMax: number): Generator<BrokerMessage> {
    const { rowsPerMessage, retain } = this.#settings;
    const topic = this.#topic.topicOf(record.device);
    const limits = { bytesMax, rowsMax: rowsPerMessage };
    for (const payload of packRows(this.#writer, this.#sourceOf(record, rowsPerMessage > 1), limits))
      yield { topic, payload, qos: 1, retain };
  }

  #sourceOf(record: RowsRecord, isArray: boolean): RowSource {
    if (this.#settings.format === "CBOR") return new CborRows(this.#writer, record, isArray);
    return new TemplateRows(this.#writer, record, {
      template: this.#payload,
      ...(isArray && { head: "[", tail: "]" }),
      nonFinite: "null",
    });
  }

  /** Yields one message per value. */
  *#values(record: RowsRecord): Generator<BrokerMessage> {
    const rows = new TemplateRows(this.#writer, record, { template: this.#payload, nonFinite: "null" });
    const topics = record.columns.map(({ key }) => this.#topic.topicOf(record.device, { key }));
    for (let row = 0; row < rows.rowCount; row++) {
      for (const [position, topic] of topics.entries()) {
        const payload = rows.single(row, position);
        if (payload !== undefined) yield { topic, payload, qos: 1, retain: this.#settings.retain };
      }
    }
  }

  #encoded(body: Record<string, unknown>): Uint8Array {
    if (this.#settings.format !== "CBOR") return utf8.encode(JSON.stringify(body));
    this.#writer.truncate();
    writeCbor(this.#writer, body);
    return this.#writer.bytes().slice();
  }
}

class SparkplugEncoding implements Encoding {
  readonly #node: SparkplugNode;

  constructor(node: SparkplugNode) {
    this.#node = node;
  }

  messages(record: UplinkRecord, bytesMax: number): Iterable<BrokerMessage> {
    if (record.kind === "rows") return this.#node.rows(record, bytesMax);
    if (record.kind === "attributes") return this.#node.attributes(record, bytesMax);
    if (record.kind === "alarm") return this.#node.alarm(record, bytesMax);
    const isDeath = record.kind === "device" && record.change === "deleted";
    return isDeath ? this.#node.death(record.device) : [];
  }
}

/**
 * Any MQTT broker. A batch is sent when the broker has acknowledged every message; whether it survives a restart of the broker depends on the
 * broker, and only subscribers with a session get messages sent while they are offline. A repeated batch is published again: subscribers see values
 * twice, with the same timestamps. Events are lines of `ndjson-encoder.ts`. JSON has `null` in place of NaN and infinities, which CBOR and
 * Sparkplug B can represent. Deletions are events on the event topic.
 */
class MqttTarget extends BrokerTarget {
  readonly #settings: MqttTargetSettings;
  readonly #encoding: Encoding;
  protected readonly link: BrokerLink;
  #isBearing = false;

  constructor(settings: MqttTargetSettings, context: TargetContext) {
    super();
    this.#settings = settings;
    if (settings.format !== "SPARKPLUG_B") {
      this.#encoding = new TemplateEncoding(settings);
      this.link = new BrokerLink({ settings, context, filters: [], receive: () => {} });
      return;
    }
    const { groupId: group, edgeNodeId } = settings;
    const node = new SparkplugNode({ group, node: edgeNodeId, now: () => context.now() });
    this.#encoding = new SparkplugEncoding(node);
    this.link = new BrokerLink({
      settings,
      context,
      filters: [node.commandTopic],
      receive: ({ payload }) => {
        node.command(payload);
        void this.#bearAgain(node);
      },
      will: () => node.will(),
      greet: (connection) => new PublishRun(connection, node.births()).run(new AbortController().signal),
    });
  }

  async send({ records }: Batch, signal: AbortSignal): Promise<void> {
    const { limits } = await this.link.connect(signal);
    const bytesMax = Math.min(this.#settings.messageBytesMax, limits.packetBytesMax - PACKET_HEAD_BYTES);
    await this.link.publish(this.#messages(records, bytesMax), signal);
  }

  /** Sends the births requested by the host. Further requests are served after these are acknowledged. */
  async #bearAgain(node: SparkplugNode): Promise<void> {
    if (this.#isBearing) return;
    this.#isBearing = true;
    while (node.isRebirthWanted && (await this.link.announce(node.births())));
    this.#isBearing = false;
  }

  *#messages(records: readonly UplinkRecord[], bytesMax: number): Generator<BrokerMessage> {
    for (const record of records) yield* this.#encoding.messages(record, bytesMax);
  }
}

export const createMqttTarget = (settings: MqttTargetSettings, context: TargetContext): Target =>
  new MqttTarget(settings, context);
