/**
 * Sends large responses in chunks: with a turn of the event loop between chunks, no faster than the client reads, and only until the client
 * disconnects. Bytes that the client has not read yet are held in the `ResponseSpace`.
 */
import { isLongerJson, jsonPieces } from "../../lib/json/json-pieces.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import { EXPORTS_MAX, type HeldResponse, type ResponseSpace } from "../../platform/load/response-space.ts";

/** Max. characters of JSON serialized in one go. */
const WHOLE_MAX = 512 * 1024;
/** Max. bytes sent without counting as unread by the client. */
const UNCOUNTED_MAX = 64 * 1024;
/** Larger bodies are sent as a stream: otherwise Bun writes each header name and each value in a system call of its own. */
const HEAD_WITH_BODY_MAX = 15 * 1024;
/** Approximate bytes per chunk. */
const PIECE_BYTES = 128 * 1024;

const jsonHeaders = {
  "content-type": "application/json",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
};

type Body = BodyInit & Uint8Array;
type Pieces = Iterator<Uint8Array | string> | AsyncIterator<Uint8Array | string>;

interface Held {
  readonly held: HeldResponse;
  /** Aborted when the request ends, also before its response begins. */
  readonly signal: AbortSignal;
}

/** Streams pieces as the client reads them. `cancel` stops their source. */
function streamOf(
  pieces: Pieces,
  { held, signal }: Held,
  cancel: () => void = () => undefined,
): ReadableStream {
  const encoder = new TextEncoder();
  const end = () => {
    held.end();
    cancel();
    // The pending read has been canceled, so nobody handles its error.
    Promise.resolve(pieces.return?.()).catch(() => undefined);
  };
  // If a request ends before its response begins, the stream is neither read nor canceled.
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await workShare.next(); // otherwise pulls follow each other without a turn of the event loop
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

/** Yields the pieces, and releases the space of a piece when the next one is requested: until then, the connection holds it. */
function* taken(pieces: Uint8Array[], held: HeldResponse): Generator<Uint8Array> {
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    yield piece;
    held.release(piece.length);
  }
}

/** Yields pieces of an export, dividing long ones, so that the connection holds little at its end. */
async function* dividedPieces(pieces: Pieces): AsyncGenerator<Uint8Array | string> {
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      if (typeof next.value === "string") yield next.value;
      else yield* divided(next.value);
    }
  } finally {
    await pieces.return?.();
  }
}

/** Divides a long piece, so that little of it is in flight to a client that does not read. */
function* divided(piece: Uint8Array): Generator<Uint8Array> {
  if (piece.length <= 2 * PIECE_BYTES) yield piece;
  // Copies, because a view would keep all of the piece.
  else
    for (let start = 0; start < piece.length; start += PIECE_BYTES)
      yield piece.slice(start, start + PIECE_BYTES);
}

/** Returns a response of finished pieces. */
function responseOf(pieces: Uint8Array[], { held, signal }: Held, headers: HeadersInit): Response {
  const init = { headers };
  if (held.bytes > UNCOUNTED_MAX) return new Response(streamOf(taken(pieces, held), { held, signal }), init);
  held.end();
  const [first] = pieces;
  const body = first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
  return new Response(body.length > HEAD_WITH_BODY_MAX ? streamOfOne(body) : (body as Body), init);
}

/** Returns a stream with one chunk. */
function streamOfOne(content: Uint8Array): ReadableStream {
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: "direct",
    pull(controller) {
      controller.write(content);
      controller.close();
    },
  };
  return new ReadableStream(source as unknown as UnderlyingSource);
}

/** Collects the pieces of a response. Releases their space if `create` fails. */
async function collected(
  held: HeldResponse,
  create: (onPiece: (piece: Uint8Array) => void) => Promise<void>,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  try {
    await create((piece) => {
      held.hold(piece.length);
      pieces.push(...divided(piece));
    });
    held.releaseReserved();
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

/** Approximate bytes of an item of a list. */
const ITEM_BYTES = 300;

interface ItemList {
  /** Number of items. */
  readonly count: number;
  readonly slices: Iterable<readonly unknown[]>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts the items of slices as they are read. */
export function* convertedSlices<From, To>(
  slices: Iterable<readonly From[]>,
  convert: (item: From) => To,
): Generator<To[]> {
  for (const slice of slices) yield slice.map(convert);
}

/** Sends a list that is built slice by slice. Reserves its space before building it, so that waiting lists stay small. */
export async function listResponse(
  space: ResponseSpace,
  request: Request,
  list: ItemList,
): Promise<Response> {
  const held = space.open(request);
  held.hold(list.count * ITEM_BYTES);
  const encoder = new TextEncoder();
  const pieces = await collected(held, async (onPiece) => {
    let before = "[";
    let left = list.count;
    for (const slice of list.slices) {
      held.release(slice.length * ITEM_BYTES);
      if (slice.length > 0) {
        onPiece(encoder.encode(before + JSON.stringify(slice).slice(1, -1)));
        before = ",";
      }
      left -= slice.length;
      if (left > 0) await workShare.pause();
    }
    onPiece(encoder.encode(before === "[" ? "[]" : "]"));
  });
  return responseOf(pieces, { held, signal: request.signal }, { ...jsonHeaders, ...list.headers });
}

/** Serializes a value that is sent repeatedly. */
export async function jsonBytes(value: unknown): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  await encode(value, (piece) => pieces.push(piece));
  return pieces;
}

/** Sends JSON that `create` has already serialized. */
export async function textResponse(
  space: ResponseSpace,
  request: Request,
  create: (onPiece: (piece: Uint8Array) => void) => Promise<void>,
): Promise<Response> {
  const held = space.open(request);
  const pieces = await collected(held, create);
  return responseOf(pieces, { held, signal: request.signal }, jsonHeaders);
}

/** Sends a value as JSON. */
export async function jsonResponse(
  space: ResponseSpace,
  request: Request,
  value: unknown,
): Promise<Response> {
  return readResponse(space.open(request), request, async () => value);
}

/**
 * Sends the value that `read` returns as JSON. `read` reserves space as it reads, and fails at the next reservation after the client has
 * disconnected.
 */
export async function readResponse(
  held: HeldResponse,
  request: Request,
  read: () => Promise<unknown>,
): Promise<Response> {
  const { signal } = request;
  if (signal.aborted) held.end();
  signal.addEventListener("abort", () => held.end(), { once: true });
  const pieces = await collected(held, async (onPiece) => encode(await read(), onPiece));
  return responseOf(pieces, { held, signal }, jsonHeaders);
}

/** Sends JSON in pieces shared by all its responses; each response only counts the piece in flight. */
export function sharedResponse(
  space: ResponseSpace,
  request: Request,
  pieces: readonly Uint8Array[],
): Response {
  const held = space.open(request);
  held.hold(Math.max(...pieces.map(({ length }) => length)));
  return new Response(streamOf(pieces.values(), { held, signal: request.signal }), { headers: jsonHeaders });
}

/** Returns whether a value's JSON is too long to be serialized and sent in one go. */
export const isLargeResponse = (value: unknown): boolean => isLongerJson(value, WHOLE_MAX);

/** Casts a Response, which Elysia sends without a check, to the type of the response schema. */
export const asResponse = <Value>(response: Response): Value => response as unknown as Value;

/** Limit of exports for OpenAPI descriptions. */
export const EXPORTS_LIMIT = {
  429: `The user already runs ${EXPORTS_MAX.user} exports, or the tenant ${EXPORTS_MAX.tenant}.`,
};

/**
 * Streams an export as the client reads it; each piece takes a few milliseconds. `create` is called once the limit allows the export.
 * @throws DomainError `limited`
 */
export async function exportResponse(
  space: ResponseSpace,
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
    const body = streamOf(dividedPieces(pieces), { held, signal: request.signal }, () => reading.abort());
    const headers = { "cache-control": "no-store", "x-content-type-options": "nosniff", ...file.headers };
    return new Response(body, { headers });
  } catch (error) {
    held.end();
    throw error;
  }
}
