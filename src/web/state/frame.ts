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
