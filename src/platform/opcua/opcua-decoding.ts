import { BinaryStream } from "node-opcua-binary-stream";
import { findBuiltInType } from "node-opcua-factory";
import { invariant } from "../../lib/core/invariant.ts";

/** Parts of a message. Each becomes an object of half a kilobyte or more, though it may take one byte of the message. */
export const PARTS_MAX = 20_000;
/** Bytes of a structure that count as one part: what they mean is known only when the server has described its type. */
const STRUCTURE_BYTES_PER_PART = 32;

/** Memory of a value by its type, in parts. Other numbers take no more than their bytes. */
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
 * Has the library refuse a message with too many parts: its own limits are for each array, and a message of 14 MB with arrays in an array would
 * take 6 GB. `onExceeded` is called for each refused message.
 */
export function limitDecoding(onExceeded: () => void): void {
  /** Parts of messages so far. */
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
