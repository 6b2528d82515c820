import { type BodyEncoding, decodeBody } from "../../lib/body.ts";
import { invalid } from "../../lib/domain-error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { NoteLeftOut } from "../../lib/sent-json.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { IngestDevice, IngestSource, MessageKind, PacketBody, Rejection } from "./ingest.types.ts";
import { MessageShapes } from "./message-shapes.ts";
import { toBatchReadings, toReadings } from "./readings.ts";

/** A message of a device as it came in, with the bytes of its body. */
export interface Message extends PacketBody {
  readonly kind: MessageKind;
  readonly encoding: BodyEncoding;
  readonly source: IngestSource;
}

/** A message, and when it came (epoch ms). */
export interface Received {
  readonly message: Message;
  readonly now: number;
}

/** How a message is read: when it came, and what is told of what was read in another way than it was sent. */
export interface Reception {
  readonly now: number;
  readonly note: NoteLeftOut;
}

export type MessageOrigin = Pick<Rejection, "source" | "where" | "sample">;

/** Returns a message whose body stands alone. */
export const messageOf = (
  kind: MessageKind,
  buffer: Uint8Array,
  { encoding, source }: Pick<Message, "encoding" | "source">,
): Message => ({ kind, buffer, start: 0, end: buffer.length, encoding, source });

const bytesOf = ({ buffer, start, end }: Message): Uint8Array => buffer.subarray(start, end);

/** Returns a message's body as a JavaScript value. @throws DomainError of kind `invalid` */
export const bodyOf = (message: Message, note?: NoteLeftOut): unknown =>
  decodeBody(bytesOf(message), message.encoding, note);

/** Returns the name of a body's source in the list of refused messages. */
export function whereOf({ kind, source }: Pick<Message, "kind" | "source">): string {
  if (source !== "http") return `v1/devices/me/${kind}`;
  return kind === "batch" ? "/telemetry/batch" : `/${kind}`;
}

export const originOf = (message: Message): MessageOrigin => ({
  source: message.source,
  where: whereOf(message),
  sample: bytesOf(message),
});

const isEmptyObject = (body: unknown): boolean => isJsonObject(body) && Object.keys(body).length === 0;

/** Returns the readings of a message; none of an empty object. */
export function readingsOf(
  { kind, source }: Message,
  decoded: unknown,
  { now, note }: Reception,
): readonly Reading[] {
  if (source === "http") checkPayload(decoded);
  try {
    return kind === "batch"
      ? toBatchReadings(batchOf(decoded), now, { note })
      : toReadings(decoded, now, { note });
  } catch (error) {
    if (kind === "telemetry" && isEmptyObject(decoded)) return [];
    throw error;
  }
}

/** Creates a function that reads a message like earlier ones of its device, or the long way. */
export function createMessageReader() {
  const shapes = new MessageShapes();
  return (device: IngestDevice, message: Message, reception: Reception): readonly Reading[] => {
    const isTelemetry = message.kind === "telemetry";
    const reading = isTelemetry ? shapes.read(device, message, reception.now) : undefined;
    if (reading !== undefined) return [reading];
    const readings = readingsOf(message, bodyOf(message, reception.note), reception);
    if (isTelemetry && readings.length === 1) shapes.missed(device, bytesOf(message));
    return readings;
  };
}

/** Checks a body that has only `payload`: over HTTP this is the contract's form, in which it is an object. */
function checkPayload(body: unknown): void {
  if (
    isJsonObject(body) &&
    "payload" in body &&
    Object.keys(body).length === 1 &&
    !isJsonObject(body.payload)
  )
    throw invalid("telemetry.payload_invalid");
}

function batchOf(batch: unknown): Record<string, unknown> {
  if (!isJsonObject(batch) || !Array.isArray(batch.items)) throw invalid("telemetry.items_missing");
  for (const item of batch.items)
    if (isJsonObject(item) && item.telemetry !== undefined && !isJsonObject(item.telemetry))
      throw invalid("telemetry.item_invalid");
  return batch;
}
