/** Max. depth. Deeper values would overflow the stack of recursive code, and device messages do not need more. */
export const JSON_DEPTH_MAX = 64;

/** Returns the change of the bracket depth at a character. */
export const deeper = (code: number): number =>
  code === 0x5b || code === 0x7b ? 1 : code === 0x5d || code === 0x7d ? -1 : 0;

/** Returns the nesting depth of brackets, including brackets inside strings. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index++) {
    depth += deeper(text.charCodeAt(index));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
