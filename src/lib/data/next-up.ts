/** Returns the smallest double above a number. */
export function nextUp(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const double = new Float64Array([value]);
  const bits = new BigInt64Array(double.buffer);
  bits[0] = bits[0]! + (value > 0 ? 1n : -1n);
  return double[0]!;
}
