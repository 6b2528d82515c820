/**
 * Large answers in pieces: with a turn of the event loop between two pieces, no faster than the client reads, and no further when it has
 * left. What the client has not read yet takes up its part of the space for answers.
 */
import { isLongerJson, jsonPieces } from "../lib/json-pieces.ts";
import { type AnswerSpace, EXPORTS_MAX, type HeldAnswer } from "../platform/answer-space.ts";
import { workShare } from "../platform/fair-share.ts";

/** Characters of JSON up to which an answer is made in one go, and bytes up to which it is sent so. */
const WHOLE_MAX = 512 * 1024;
/** Bytes of one piece, about. */
const PIECE_BYTES = 128 * 1024;

const jsonHeaders = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

type Body = BodyInit & Uint8Array;
type Pieces = Iterator<Uint8Array | string> | AsyncIterator<Uint8Array | string>;

interface Held {
  readonly held: HeldAnswer;
  /** The request's. */
  readonly signal: AbortSignal;
}

/** Streams pieces as they are read. `cancel` ends what makes them. */
function streamOf(
  pieces: Pieces,
  { held, signal }: Held,
  cancel: () => void = () => undefined,
): ReadableStream {
  const encoder = new TextEncoder();
  const end = () => {
    held.end();
    cancel();
    // What it waits for has been cancelled: nobody hears of it.
    Promise.resolve(pieces.return?.()).catch(() => undefined);
  };
  // A request that ends before its answer begins neither reads nor cancels it.
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await workShare.next(); // pulls follow each other without a turn of the event loop
      try {
        const { done, value } = await pieces.next();
        if (done === true) {
          held.end();
          controller.close();
        } else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      } catch (error) {
        held.end();
        throw error;
      }
    },
    cancel: end,
  });
}

/** Releases each piece when it is taken. */
function* taken(pieces: Uint8Array[], held: HeldAnswer): Generator<Uint8Array> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    held.release(piece.length);
    yield piece;
  }
}

/** An answer whose pieces are all there. */
function answerOf(
  pieces: Uint8Array[],
  { held, signal }: Held,
  headers: HeadersInit,
  status?: number,
): Response {
  const init = { headers, ...(status !== undefined && { status }) };
  if (held.bytes > WHOLE_MAX) return new Response(streamOf(taken(pieces, held), { held, signal }), init);
  held.end();
  const [first] = pieces;
  const body = first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
  return new Response(body as Body, init);
}

/** Collects the pieces of an answer. The space that they take is given back when the answer cannot be made. */
async function collected(
  held: HeldAnswer,
  create: (onPiece: (piece: Uint8Array) => void) => Promise<void>,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  try {
    await create((piece) => {
      held.hold(piece.length);
      pieces.push(piece);
    });
  } catch (error) {
    held.end();
    throw error;
  }
  return pieces;
}

async function encode(value: unknown, onPiece: (piece: Uint8Array) => void): Promise<void> {
  const encoder = new TextEncoder();
  let text = "";
  for (const part of jsonPieces(value)) {
    text += part;
    if (text.length >= PIECE_BYTES) {
      onPiece(encoder.encode(text));
      text = "";
    }
    await workShare.pause();
  }
  onPiece(encoder.encode(text));
}

/** Sends the text of an answer as it is. */
export async function textAnswer(
  space: AnswerSpace,
  request: Request,
  create: (onPiece: (piece: Uint8Array) => void) => Promise<void>,
): Promise<Response> {
  const held = space.open(request);
  const pieces = await collected(held, create);
  return answerOf(pieces, { held, signal: request.signal }, jsonHeaders);
}

/** Sends a value as JSON. `atEnd` is called when the client has taken it, or it cannot be made. */
export async function jsonAnswer(
  space: AnswerSpace,
  request: Request,
  value: unknown,
  options: { readonly atEnd?: () => void; readonly headers?: HeadersInit; readonly status?: number } = {},
): Promise<Response> {
  const held = space.open(request);
  if (options.atEnd !== undefined) held.atEnd(options.atEnd);
  const pieces = await collected(held, (onPiece) => encode(value, onPiece));
  return answerOf(pieces, { held, signal: request.signal }, options.headers ?? jsonHeaders, options.status);
}

/** Returns whether a value's JSON is too long to be made and sent in one go. */
export const isLargeAnswer = (value: unknown): boolean => isLongerJson(value, WHOLE_MAX);

/** The type that Elysia wants where it sends a Response without a check: what the schema of the answer has. */
export const asAnswer = <Value>(response: Response): Value => response as unknown as Value;

/** What the description of an export says of its limit. */
export const exportsLimit = `429 if the user runs ${EXPORTS_MAX.user} exports already, or the tenant ${EXPORTS_MAX.tenant}.`;

/**
 * Sends an export, as it is read; each of its pieces takes a few milliseconds. `create` is called when one more export may run.
 * @throws DomainError `limited`
 */
export async function exportAnswer(
  space: AnswerSpace,
  request: Request,
  file: {
    readonly create: (signal: AbortSignal) => Pieces | Promise<Pieces>;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  const held = space.openExport(request);
  const reading = new AbortController();
  try {
    const pieces = await file.create(reading.signal);
    const body = streamOf(pieces, { held, signal: request.signal }, () => reading.abort());
    const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...file.headers };
    return new Response(body, { headers });
  } catch (error) {
    held.end();
    throw error;
  }
}
