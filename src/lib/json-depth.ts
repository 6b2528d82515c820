/** Deeper values would overflow the stack of code that walks them later; device messages do not need more. */
export const JSON_DEPTH_MAX = 64;

/** Returns how far brackets stand in one another; those inside of texts count, too. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}
