/** A closed range of time stamps. */
export interface Span {
  from: number;
  to: number;
}

/** Values that are further apart than this lie in ranges of their own, so that one late value does not send years again. */
export const SPAN_GAP_MS = 3_600_000;
/** Ranges of one device that are kept apart within one sealing; beyond it they are joined. */
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
    else extend(near ?? spans[0]!, ts);
  }
}

function extend(span: Span, ts: number): void {
  if (ts < span.from) span.from = ts;
  if (ts > span.to) span.to = ts;
}
