/**
 * Large answers as JSON in pieces: with a turn of the event loop between two pieces, no faster than the client reads, and no further when it
 * has left. What the client has not read yet takes up its part of the space for answers.
 */
import { type AnswerSpace, HeldAnswer } from "./answer-space.ts";
import type { LatestSnapshot, TelemetryAnswer } from "./telemetry.types.ts";

/** Values up to which an answer is made in one go. */
const WHOLE_MAX = 10_000;
/** Bytes up to which an answer that is text already is sent in one go. */
const WHOLE_BYTES_MAX = 512 * 1024;
/** Characters of one piece, about. */
const PIECE_CHARACTERS = 128 * 1024;
/** A newest value in memory with its key and time, about. */
const BYTES_PER_VALUE = 64;

function* latestTexts(snapshots: readonly LatestSnapshot[]): Generator<string> {
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

/** Streams what the caller has held; `signal` is the request's. */
function stream(pieces: Iterator<Uint8Array>, held: HeldAnswer, signal: AbortSignal): Response {
  const release = () => held.release();
  // A request that ends before its answer begins neither reads nor cancels it.
  if (signal.aborted) release();
  else signal.addEventListener("abort", release, { once: true });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      const { done, value } = pieces.next();
      if (done !== true) return controller.enqueue(value);
      release();
      controller.close();
    },
    cancel() {
      pieces.return?.();
      release();
    },
  });
  return new Response(body, { headers });
}

function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let piece = "";
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield encoder.encode(piece);
    piece = "";
  }
  yield encoder.encode(piece);
}

/** Releases each piece when it is taken. */
function* taken(pieces: Uint8Array[], held: HeldAnswer): Generator<Uint8Array> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    held.release(piece.length);
    yield piece;
  }
}

/** Sends the text of an answer as it is. Elysia sends a Response without a check; its types want what the schema of the answer has. */
export async function seriesResponse(
  space: AnswerSpace,
  signal: AbortSignal,
  ask: (onPiece: (piece: Uint8Array) => void) => Promise<void>,
): Promise<TelemetryAnswer> {
  const held = new HeldAnswer(space);
  const pieces: Uint8Array[] = [];
  const onPiece = (piece: Uint8Array) => {
    held.hold(piece.length);
    pieces.push(piece);
  };
  await ask(onPiece).catch((error) => {
    held.release();
    throw error;
  });
  if (held.bytes > WHOLE_BYTES_MAX)
    return stream(taken(pieces, held), held, signal) as unknown as TelemetryAnswer;
  held.release();
  const [first] = pieces;
  const body = first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
  return new Response(body as BufferSource, { headers }) as unknown as TelemetryAnswer;
}

export function valuesIn(snapshots: readonly LatestSnapshot[]): number {
  let values = 0;
  for (const snapshot of snapshots) for (const _ in snapshot.values) values++;
  return values;
}

export function latestResponse(
  space: AnswerSpace,
  signal: AbortSignal,
  snapshots: LatestSnapshot[],
): LatestSnapshot[] {
  const values = valuesIn(snapshots);
  if (values <= WHOLE_MAX) return snapshots;
  const held = new HeldAnswer(space);
  held.hold(values * BYTES_PER_VALUE);
  return stream(encoded(latestTexts(snapshots)), held, signal) as unknown as LatestSnapshot[];
}
