/** Windows that a chart showed before it was zoomed; double clicks return to them one by one. `Window` is plain JSON. */
export class ZoomStack<Window> {
  /** Oldest first. */
  #left: Window[] = [];
  #shown: string | undefined;

  /** Notes that `next` replaces `current`. Panning a zoomed window adds nothing to return to. */
  leave(current: Window, next: Window, { isPan = false } = {}): void {
    this.#follow(current);
    if (!isPan || this.#left.length === 0) this.#left.push(current);
    this.#shown = JSON.stringify(next);
  }

  /** Returns the newest window left that is `wanted`, and drops the later ones; `undefined` if there is none. */
  back(current: Window, wanted: (window: Window) => boolean = () => true): Window | undefined {
    this.#follow(current);
    const index = this.#left.findLastIndex(wanted);
    const window = this.#left[index];
    this.#left.length = Math.max(0, index);
    this.#shown = JSON.stringify(window);
    return window;
  }

  /** A window selected elsewhere clears the stack; the browser's Back button returns to an earlier window. */
  #follow(current: Window): void {
    const text = JSON.stringify(current);
    if (text === this.#shown) return;
    const index = this.#left.findLastIndex((window) => JSON.stringify(window) === text);
    this.#left.length = Math.max(0, index);
  }
}
