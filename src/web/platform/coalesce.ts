/** Wraps `action` so that it runs at most once a picture, however often it is asked for. */
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

/** Wraps `action` so that a burst of calls runs it once, `delayMs` after the first of them. */
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

/** Limit on what drawing may take of the time: the rest is for fingers and pointers. */
const SHARE_MAX = 0.6;
/** Even a page that takes long to draw shows new values after this time. */
const WAIT_MS_MAX = 100;
const PICTURE_MS = 16;

/** Draws once a picture where that is cheap, and less often where it is not: the browser's own part is measured as well. */
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
    // A message is delivered when the picture is done.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      const end = performance.now();
      this.#nextAt = end + Math.min(WAIT_MS_MAX, (end - begin) * (1 / SHARE_MAX - 1));
    };
    port2.postMessage(undefined);
  }
}
