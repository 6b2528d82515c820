/** Min. digits of integers that may exceed 2^53. */
const INEXACT_DIGITS_MIN = 16;

/** Returns an integer as a number if that has the same digits or the same value, otherwise as the text of its digits. */
export function exactInteger(digits: string): number | string {
  const number = Number(digits);
  if (digits.length < INEXACT_DIGITS_MIN || String(number) === digits) return number;
  return Number.isFinite(number) && BigInt(number) === BigInt(digits) ? number : digits;
}
