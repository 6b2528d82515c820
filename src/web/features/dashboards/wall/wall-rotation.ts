import { ApiError } from "../../../platform/api-client.ts";

/** Delay after a missing response. */
const RETRY_MS = 5_000;

interface Options<Slide> {
  readonly ids: readonly string[];
  readonly everyMs: number;
  /** Loads the whole content of a dashboard, so that it replaces the current one in one step. */
  readonly load: (id: string) => Promise<Slide>;
  /** Returns false while the page is hidden or has no connection. */
  readonly canAdvance: () => boolean;
  readonly onSlide: (slide: Slide) => void;
  readonly onError: (error: unknown) => void;
  /** Monotonic, in ms. */
  readonly nowMs?: () => number;
}

/**
 * Shows dashboards in turn. The current one stays until the next one is loaded, and a deleted one is skipped. A change that became due while nothing
 * could be shown happens once, as soon as `check` finds that it can.
 */
export class WallRotation<Slide> {
  readonly #options: Options<Slide>;
  readonly #nowMs: () => number;
  #position = -1;
  #dueMs = Number.NEGATIVE_INFINITY;
  #isLoading = false;
  #isStopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options<Slide>) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Shows the next dashboard if it is due, and sets the timer otherwise. */
  check(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#isLoading) return;
    const restMs = this.#dueMs - this.#nowMs();
    if (restMs > 0) {
      if (Number.isFinite(restMs)) this.#timer = setTimeout(() => this.check(), restMs);
      return;
    }
    if (this.#position < 0 || this.#options.canAdvance()) this.#advance();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #advance(): Promise<void> {
    const { ids, everyMs, onError } = this.#options;
    this.#isLoading = true;
    let waitMs = ids.length > 1 ? everyMs : Number.POSITIVE_INFINITY;
    try {
      await this.#showNext();
    } catch (error) {
      waitMs = RETRY_MS;
      if (!this.#isStopped) onError(error);
    }
    this.#isLoading = false;
    this.#dueMs = this.#nowMs() + waitMs;
    this.check();
  }

  /** @throws if every dashboard is deleted, or the service does not respond */
  async #showNext(): Promise<void> {
    const { ids, load, onSlide } = this.#options;
    let missing: unknown;
    for (let step = 1; step <= ids.length; step++) {
      const position = (this.#position + step) % ids.length;
      try {
        const slide = await load(ids[position] ?? "");
        this.#position = position;
        if (!this.#isStopped) onSlide(slide);
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        missing = error;
      }
    }
    throw missing;
  }
}
