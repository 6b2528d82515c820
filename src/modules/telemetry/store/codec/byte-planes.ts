/**
 * Splits the eight bytes of doubles, or of the zigzag differences of neighboring bit patterns, into one plane each, so that zstd finds
 * similarities. Uses 32-bit halves, because BigInt would take a hundred times as long.
 */

/** Fills `out` plane by plane, 8 bytes per value. */
export function splitPlanes(values: Float64Array, out: Uint8Array): void {
  const { length } = values;
  const from = new Uint8Array(values.buffer, values.byteOffset, length * 8);
  for (let plane = 0; plane < 8; plane++) {
    const start = plane * length;
    for (let i = 0; i < length; i++) out[start + i] = from[i * 8 + plane]!;
  }
}

export function joinPlanes(planes: Uint8Array, values: Float64Array): void {
  const halves = halvesOf(values);
  const { length } = values;
  for (let i = 0; i < length; i++) {
    halves[i * 2] = wordAt(planes, i, length);
    halves[i * 2 + 1] = wordAt(planes, i + 4 * length, length);
  }
}

/** Returns the first value and the zigzag differences of neighboring bit patterns, as bit patterns instead of numbers. */
export function bitDeltas(values: Float64Array): Float64Array {
  const deltas = new Float64Array(values.length);
  const from = halvesOf(values);
  const to = halvesOf(deltas);
  let previousLow = from[0]!;
  let previousHigh = from[1]!;
  to[0] = previousLow;
  to[1] = previousHigh;
  for (let i = 2; i < from.length; i += 2) {
    const low = from[i]!;
    const high = from[i + 1]!;
    const deltaLow = (low - previousLow) | 0;
    const deltaHigh = (high - previousHigh - (low < previousLow ? 1 : 0)) | 0;
    const sign = deltaHigh >> 31;
    to[i] = (deltaLow << 1) ^ sign;
    to[i + 1] = ((deltaHigh << 1) | (deltaLow >>> 31)) ^ sign;
    previousLow = low;
    previousHigh = high;
  }
  return deltas;
}

/** Restores the values from the planes of their differences. */
export function joinDeltaPlanes(planes: Uint8Array, values: Float64Array): void {
  const halves = halvesOf(values);
  const { length } = values;
  let low = wordAt(planes, 0, length) >>> 0;
  let high = wordAt(planes, 4 * length, length);
  halves[0] = low;
  halves[1] = high;
  for (let i = 1; i < length; i++) {
    const zigzagLow = wordAt(planes, i, length);
    const zigzagHigh = wordAt(planes, i + 4 * length, length);
    const sign = -(zigzagLow & 1);
    const deltaLow = (((zigzagLow >>> 1) | (zigzagHigh << 31)) ^ sign) >>> 0;
    const sum = low + deltaLow;
    low = sum >>> 0;
    high = (high + ((zigzagHigh >>> 1) ^ sign) + (sum > 0xffff_ffff ? 1 : 0)) | 0;
    halves[i * 2] = low;
    halves[i * 2 + 1] = high;
  }
}

const halvesOf = (values: Float64Array): Uint32Array =>
  new Uint32Array(values.buffer, values.byteOffset, values.length * 2);

/** Returns four bytes, one from each of four neighboring planes. */
const wordAt = (planes: Uint8Array, index: number, length: number): number =>
  planes[index]! |
  (planes[index + length]! << 8) |
  (planes[index + 2 * length]! << 16) |
  (planes[index + 3 * length]! << 24);
