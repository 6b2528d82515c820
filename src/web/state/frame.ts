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
export function gathered(action: () => void, delayMs: number): () => void {
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
