/** Wraps `action` so that it runs at most once per frame. */
export function oncePerFrame(action: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      action();
    });
  };
}

/** Wraps `action` so that a burst of calls runs it once, `delayMs` after the first call. */
export function coalesced(action: () => void, delayMs: number): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    setTimeout(() => {
      asked = false;
      action();
    }, delayMs);
  };
}

/** Max. share of the time for drawing: the rest is for input. */
const SHARE_MAX = 0.6;
/** A page that takes long to draw still shows new values after this time. */
const WAIT_MS_MAX = 100;
const PICTURE_MS = 16;

/** Draws once per frame if drawing is fast, and less often if it is slow. The browser's own part is measured too. */
export class DrawingPace {
  readonly #draw: () => void;
  #isAsked = false;
  #nextAt = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    const waitMs = this.#nextAt - performance.now();
    if (waitMs < PICTURE_MS) requestAnimationFrame(() => this.#run());
    else setTimeout(() => requestAnimationFrame(() => this.#run()), waitMs);
  }

  #run(): void {
    this.#isAsked = false;
    const begin = performance.now();
    this.#draw();
    // Messages are delivered after the frame.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      const end = performance.now();
      this.#nextAt = end + Math.min(WAIT_MS_MAX, (end - begin) * (1 / SHARE_MAX - 1));
    };
    port2.postMessage(undefined);
  }
}
