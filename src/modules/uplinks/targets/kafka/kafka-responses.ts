import type { Connection, Reader, UserError } from "@platformatic/kafka";
import { RESPONSE_BYTES_MAX, responseTooLong } from "../../../../platform/network/limited-relay.ts";

const LENGTH_BYTES = 4;
/** Max. parts of a response, such as partitions and brokers. */
const PARTS_MAX = 20_000;
/** Max. error codes of a response, including versions and lengths. The client uses 5 KB for each error, and keeps those of all attempts. */
const CODES_MAX = 1_000;

/** Ends a connection whose response is too long, because the client would buffer responses of any length. */
class ResponseLimit {
  readonly #head = Buffer.alloc(LENGTH_BYTES);
  #headBytes = 0;
  #remaining = 0;

  /** Returns whether all responses of a connection so far are within the limit. */
  take(chunk: Uint8Array): boolean {
    for (let offset = 0; offset < chunk.length; ) {
      if (this.#remaining > 0) {
        const taken = Math.min(this.#remaining, chunk.length - offset);
        this.#remaining -= taken;
        offset += taken;
        continue;
      }
      this.#head[this.#headBytes++] = chunk[offset++] ?? 0;
      if (this.#headBytes < LENGTH_BYTES) continue;
      this.#headBytes = 0;
      this.#remaining = this.#head.readUInt32BE();
      if (this.#remaining > RESPONSE_BYTES_MAX) return false;
    }
    return true;
  }
}

/** Throws during the decoding of a response with too many parts: a decoded part takes many times its bytes, and an error thousands of times. */
function limitParts(reader: Reader, tooManyParts: () => Error): Reader {
  let [parts, codes] = [0, 0];
  const readArray = reader.readNullableArray.bind(reader);
  const readInt16 = reader.readInt16.bind(reader);
  reader.readNullableArray = (read, ...options) =>
    readArray(
      (...place) => {
        const part = read(...place);
        if (typeof part === "object" && ++parts > PARTS_MAX) throw tooManyParts();
        return part;
      },
      ...options,
    );
  reader.readInt16 = () => {
    const code = readInt16();
    if (code !== 0 && ++codes > CODES_MAX) throw tooManyParts();
    return code;
  };
  return reader;
}

/** Limits length and parts of all responses of a connection. */
export function limitResponses(
  connection: Connection,
  library: { readonly UserError: typeof UserError },
): void {
  const cause = responseTooLong();
  const tooManyParts = () => new library.UserError(cause.message, { canRetry: false, cause });
  const { socket } = connection;
  const limit = new ResponseLimit();
  socket.prependListener("data", (chunk: Uint8Array) => {
    if (!limit.take(chunk)) socket.destroy(responseTooLong());
  });
  const send = connection.send.bind(connection);
  connection.send = (apiKey, apiVersion, createPayload, parse, ...options) =>
    send(
      apiKey,
      apiVersion,
      createPayload,
      (id, key, version, reader) => parse(id, key, version, limitParts(reader, tooManyParts)),
      ...options,
    );
}
