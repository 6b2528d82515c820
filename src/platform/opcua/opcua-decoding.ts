import { BinaryStream } from "node-opcua-binary-stream";
import { findBuiltInType } from "node-opcua-factory";
import { invariant } from "../../lib/core/invariant.ts";

/** Max. parts of a message. Each becomes an object of at least half a kilobyte, even if it takes one byte of the message. */
export const PARTS_MAX = 20_000;
/** Bytes of a structure that count as one part, because their meaning is unknown until the server describes the type. */
const STRUCTURE_BYTES_PER_PART = 32;

/** Memory of a value in parts, by type. Other numbers take only their bytes. */
const PARTS_OF: Readonly<Record<string, number>> = {
  Boolean: 0.05,
  ByteString: 1,
  DataValue: 1,
  DateTime: 0.2,
  DiagnosticInfo: 1,
  ExpandedNodeId: 1,
  ExtensionObject: 1,
  Guid: 1,
  Int64: 0.2,
  LocalizedText: 1,
  NodeId: 1,
  QualifiedName: 1,
  StatusCode: 1,
  String: 0.2,
  UInt64: 0.2,
  Variant: 1,
  XmlElement: 0.2,
};

/**
 * Makes the library refuse messages with too many parts: its own limits apply to each array, and a message of 14 MB with nested arrays would take 6
 * GB. `onExceeded` is called for each refused message.
 */
export function limitDecoding(onExceeded: () => void): void {
  /** Parts of messages read so far. */
  const counts = new WeakMap<BinaryStream, number>();
  const count = (stream: BinaryStream, parts: number): void => {
    const sum = (counts.get(stream) ?? 0) + parts;
    counts.set(stream, sum);
    if (sum <= PARTS_MAX) return;
    onExceeded();
    throw new Error("too many parts");
  };
  const { checkArrayLength } = BinaryStream.prototype;
  BinaryStream.prototype.checkArrayLength = function (length) {
    checkArrayLength.call(this, length);
    count(this, length);
  };
  for (const [name, parts] of Object.entries(PARTS_OF)) {
    const type = findBuiltInType(name);
    const { decode } = type;
    invariant(decode !== undefined, `${name} has a decoder`);
    type.decode = (stream) => {
      const start = stream.length;
      count(stream, parts);
      const value = decode(stream);
      if (name === "ExtensionObject") count(stream, (stream.length - start) / STRUCTURE_BYTES_PER_PART);
      return value;
    };
  }
}
