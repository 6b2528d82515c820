import type { Connection, Reader, UserError } from "@platformatic/kafka";
import { ANSWER_BYTES_MAX, answerTooLong } from "../../../../platform/network/limited-relay.ts";

const LENGTH_BYTES = 4;
/** Max. parts of an answer, such as partitions and brokers. */
const PARTS_MAX = 20_000;
/** Max. error codes of an answer; versions and lengths count, too. The client makes 5 KB of each error, and keeps those of all its attempts. */
const CODES_MAX = 1_000;

/** Ends a connection whose answer is too long: the client would keep all of it, whatever its length. */
class AnswerLimit {
  readonly #head = Buffer.alloc(LENGTH_BYTES);
  #headBytes = 0;
  #remaining = 0;

  /** Returns whether the bytes of a connection so far are answers of at most the limit. */
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
      if (this.#remaining > ANSWER_BYTES_MAX) return false;
    }
    return true;
  }
}

/** Throws while an answer is decoded that has too many parts: decoded, a part takes many times its bytes, and an error thousands of times. */
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

/** Limits the length and the parts of all answers of a connection. */
export function limitAnswers(
  connection: Connection,
  library: { readonly UserError: typeof UserError },
): void {
  const cause = answerTooLong();
  const tooManyParts = () => new library.UserError(cause.message, { canRetry: false, cause });
  const { socket } = connection;
  const limit = new AnswerLimit();
  socket.prependListener("data", (chunk: Uint8Array) => {
    if (!limit.take(chunk)) socket.destroy(answerTooLong());
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
