import { detail } from "../../../lib/domain-error.ts";
import { clientIdOf } from "../../../platform/broker/client-id.ts";
import { TargetError } from "../uplink.errors.ts";
import type { Batch, Target, TargetContext, UplinkRecord } from "../uplink.types.ts";
import { abortable } from "./abortable.ts";
import { sendAll } from "./in-flight.ts";
import type { NatsSettings } from "./nats.schemas.ts";
import { connectNats, type NatsConnection } from "./nats-connection.ts";
import { toNatsError } from "./nats-errors.ts";
import { NdjsonEncoder } from "./ndjson-encoder.ts";
import { compileTopic, type TopicTemplate, toNatsToken } from "./topic-template.ts";

const IN_FLIGHT_MAX = 512;
const ACK_TIMEOUT_MS = 10_000;
const NS_PER_SECOND = 1_000_000_000;
const SECONDS_PER_DAY = 86_400;
/** Approximate bytes of a message in addition to its subject and payload. */
const MESSAGE_HEAD_BYTES = 100;
/** Bytes of the header with the id, at most. */
const HEADER_BYTES = 256;

interface Message {
  readonly subject: string;
  readonly id: string;
  readonly payload: Uint8Array;
}

/** A connection, and the client of JetStream on it. */
interface Client {
  readonly connection: NatsConnection;
  publish(message: Message): Promise<unknown>;
}

/** Returns the subjects that a template can give: every place is one token. */
const wildcardOf = (template: string): string => template.replace(/\{[^{}]*\}/g, "*");

function covers(wide: string, narrow: string): boolean {
  const left = wide.split(".");
  const right = narrow.split(".");
  return (
    left.length === right.length && left.every((token, index) => token === "*" || token === right[index])
  );
}

/** A stream must not have subjects of which one is part of another. */
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
 * A stream of NATS JetStream. Each row is a message with the line of `ndjson-encoder.ts`. Its id is that of the batch and its index, so a batch that
 * comes again within the stream's window for duplicates leaves none; later a consumer recognizes a row by device, time stamp and key. The server
 * acknowledges a message when it is in the stream, on as many servers as the stream has replicas; it writes its file to the disk at an interval of
 * its own.
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
      await manager.streams.info(stream);
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
    const text = this.#encoder.encode(batch, (record, end) => ends.push({ record, end })).slice();
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
