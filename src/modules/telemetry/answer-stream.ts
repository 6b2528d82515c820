/**
 * Large answers as JSON that is made piece by piece: with a turn of the event loop between two pieces, no faster than the client reads, and
 * no further when it has left.
 */
import type { LatestSnapshot, TelemetryAnswer } from "./telemetry.types.ts";

/** Values up to which an answer is made in one go. */
const WHOLE_MAX = 10_000;
/** Bytes up to which an answer that is text already is sent in one go. */
const WHOLE_BYTES_MAX = 4 * 1024 * 1024;
/** Characters of one piece, about. */
const PIECE_CHARACTERS = 128 * 1024;

type Pieces = Generator<string>;

function* latestPieces(snapshots: readonly LatestSnapshot[]): Pieces {
  yield "[";
  for (const [index, snapshot] of snapshots.entries())
    yield `${index === 0 ? "" : ","}${JSON.stringify(snapshot)}`;
  yield "]";
}

const headers = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

function stream(pieces: Iterator<Uint8Array>): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      const { done, value } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void pieces.return?.(),
  });
  return new Response(body, { headers });
}

function* encoded(pieces: Pieces): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(text);
    text = "";
  }
  yield encoder.encode(text);
}

/** Sends the text of an answer as it is. Elysia sends a Response without a check; its types want what the schema of the answer has. */
export function toSeriesResponse(pieces: Uint8Array[]): TelemetryAnswer {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const response =
    bytes > WHOLE_BYTES_MAX ? stream(pieces.values()) : new Response(Buffer.concat(pieces), { headers });
  return response as unknown as TelemetryAnswer;
}

export function valuesIn(snapshots: readonly LatestSnapshot[]): number {
  let values = 0;
  for (const snapshot of snapshots) for (const _ in snapshot.values) values++;
  return values;
}

export const toLatestResponse = (snapshots: LatestSnapshot[]): LatestSnapshot[] =>
  valuesIn(snapshots) > WHOLE_MAX
    ? (stream(encoded(latestPieces(snapshots))) as unknown as LatestSnapshot[])
    : snapshots;
