/**
 * Large answers as JSON that is made piece by piece: with a turn of the event loop between two pieces, no faster than the client reads, and
 * no further when it has left.
 */
import type { LatestSnapshot, TelemetryAnswer } from "./telemetry.types.ts";

/** Points or values up to which an answer is made in one go. */
const WHOLE_MAX = 10_000;
/** Characters of one piece, about. */
const PIECE_CHARACTERS = 128 * 1024;

type Pieces = Generator<string>;

function* seriesPieces({ data, ...rest }: TelemetryAnswer): Pieces {
  yield '{"data":[';
  for (const [index, { deviceId, series }] of data.entries()) {
    yield `${index === 0 ? "" : ","}{"deviceId":${JSON.stringify(deviceId)},"series":[`;
    for (const [position, item] of series.entries())
      yield `${position === 0 ? "" : ","}${JSON.stringify(item)}`;
    yield "]}";
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

function* latestPieces(snapshots: readonly LatestSnapshot[]): Pieces {
  yield "[";
  for (const [index, snapshot] of snapshots.entries())
    yield `${index === 0 ? "" : ","}${JSON.stringify(snapshot)}`;
  yield "]";
}

function stream(pieces: Pieces): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      let text = "";
      while (text.length < PIECE_CHARACTERS) {
        const { done, value } = pieces.next();
        if (done === true) {
          controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
    cancel: () => void pieces.return(undefined),
  });
  return new Response(body, {
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

/** A point of `timeIn` counts as the items of its list. */
function pointsIn({ data, aggregation }: TelemetryAnswer): number {
  let items = 0;
  for (const { points } of data.flatMap(({ series }) => series)) {
    items += points.length + 1;
    if (aggregation !== "timeIn") continue;
    for (const { value } of points) if (Array.isArray(value)) items += value.length;
  }
  return items;
}

// Elysia sends a Response as it is; its types want what the schema of the answer has.
export const toSeriesResponse = (answer: TelemetryAnswer): TelemetryAnswer =>
  pointsIn(answer) > WHOLE_MAX ? (stream(seriesPieces(answer)) as unknown as TelemetryAnswer) : answer;

export function valuesIn(snapshots: readonly LatestSnapshot[]): number {
  let values = 0;
  for (const snapshot of snapshots) for (const _ in snapshot.values) values++;
  return values;
}

export const toLatestResponse = (snapshots: LatestSnapshot[]): LatestSnapshot[] =>
  valuesIn(snapshots) > WHOLE_MAX
    ? (stream(latestPieces(snapshots)) as unknown as LatestSnapshot[])
    : snapshots;
