/** A closed range of time stamps. */
export interface Span {
  from: number;
  to: number;
}

/** Values that are further apart than this lie in ranges of their own, so that one late value does not send years again. */
export const SPAN_GAP_MS = 3_600_000;
/** Ranges of one device that are kept apart within one sealing; a value beyond them joins the nearest one. */
const SPANS_MAX = 16;

/** Collects in which ranges of time each device has values. */
export class FeedSpans {
  /** Device number → its ranges, in no order. */
  readonly devices = new Map<number, Span[]>();

  add(device: number, ts: number): void {
    const spans = this.devices.get(device);
    if (spans === undefined) {
      this.devices.set(device, [{ from: ts, to: ts }]);
      return;
    }
    const near = spans.findLast(({ from, to }) => ts >= from - SPAN_GAP_MS && ts <= to + SPAN_GAP_MS);
    if (near === undefined && spans.length < SPANS_MAX) spans.push({ from: ts, to: ts });
    else extend(near ?? nearest(spans, ts), ts);
  }
}

const distance = ({ from, to }: Span, ts: number): number => Math.max(from - ts, ts - to);

const nearest = (spans: readonly Span[], ts: number): Span =>
  spans.reduce((best, span) => (distance(span, ts) < distance(best, ts) ? span : best));

function extend(span: Span, ts: number): void {
  if (ts < span.from) span.from = ts;
  if (ts > span.to) span.to = ts;
}
