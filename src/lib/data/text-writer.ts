const encoder = new TextEncoder();

const CAPACITY_FIRST = 64 * 1024;
/** The next buffer is larger than the last content by so much. */
const SPARE_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);
/** A buffer that one large text needed is not kept. */
const CAPACITY_KEPT_MAX = 8 * 1024 * 1024;
/** Digits of one step with whole numbers of 32 bits. */
const STEP_DIGITS = 9;
const STEP = 10 ** STEP_DIGITS;
/** Below this, decimal strings of up to 15 digits differ as numbers, too, so their digits are the same as those of `String`. */
const EXACT_BELOW = 1e15;
const DECIMALS_MAX = 6;
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Longest text that is copied character by character; the encoder costs more to call. */
const SHORT_CHARACTERS = 48;

const powers = Array.from({ length: STEP_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Returns from how many decimals on a text may read back as the number: a quotient of whole numbers is the number nearest to the decimal
 * text. Most numbers that need more decimals than are tried are found by the longest at once.
 */
function fewestDecimals(magnitude: number): number {
  const power = 10 ** DECIMALS_MAX;
  const isLonger = magnitude * power < EXACT_BELOW && Math.round(magnitude * power) / power !== magnitude;
  return isLonger ? DECIMALS_MAX + 1 : 1;
}

/**
 * Appends text as UTF-8 to a buffer that grows. Numbers are written digit by digit, without a string in between: telemetry is mostly whole
 * numbers and short decimals, and a string of each would be most of the work.
 */
export class TextWriter {
  #bytes = new Uint8Array(CAPACITY_FIRST);
  #offset = 0;
  /** Of the next buffer: about what the last one needed. */
  #capacity = CAPACITY_FIRST;

  get length(): number {
    return this.#offset;
  }

  /** Returns the written bytes, as a view that is valid until the next write. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#offset);
  }

  /** Returns the written bytes for the caller to keep, and begins another buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.bytes();
    this.#capacity = Math.max(CAPACITY_FIRST, bytes.length + SPARE_BYTES);
    this.#bytes = NOTHING;
    this.#offset = 0;
    return bytes;
  }

  /** Empties the buffer, or takes back what was written after it had the length. */
  truncate(length = 0): void {
    this.#offset = length;
    if (length === 0 && this.#bytes.length > CAPACITY_KEPT_MAX) this.#bytes = new Uint8Array(CAPACITY_FIRST);
  }

  /** One byte, such as a punctuation mark. */
  byte(value: number): void {
    if (this.#offset === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#offset++] = value;
  }

  raw(bytes: Uint8Array): void {
    if (this.#offset + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** A lone surrogate becomes U+FFFD. */
  text(text: string): void {
    const { length } = text;
    if (this.#offset + length * 3 > this.#bytes.length) this.#grow(length * 3);
    if (length <= SHORT_CHARACTERS && this.#copied(text)) return;
    this.#offset += encoder.encodeInto(text, this.#bytes.subarray(this.#offset)).written;
  }

  /** The shortest text that reads back as the same number: what `String` gives, and `-0` for negative zero. */
  number(value: number): void {
    const sign = value < 0 || Object.is(value, -0);
    const magnitude = sign ? -value : value;
    if (this.#offset + 32 > this.#bytes.length) this.#grow(32);
    const start = this.#offset;
    if (sign) this.#bytes[this.#offset++] = MINUS;
    if (magnitude < EXACT_BELOW) {
      if (Math.floor(magnitude) === magnitude) {
        this.#whole(magnitude);
        return;
      }
      for (let decimals = fewestDecimals(magnitude); decimals <= DECIMALS_MAX; decimals++) {
        const power = powers[decimals] ?? 1;
        const scaled = Math.round(magnitude * power);
        if (scaled / power !== magnitude || scaled >= EXACT_BELOW) continue;
        this.#decimal(scaled, power, decimals);
        return;
      }
    }
    this.#offset = start;
    this.text(String(value));
  }

  #decimal(scaled: number, power: number, decimals: number): void {
    const whole = Math.floor(scaled / power);
    this.#whole(whole);
    this.#bytes[this.#offset++] = POINT;
    this.#padded(scaled - whole * power, decimals);
  }

  /** A whole number from 0 to below 10^15. */
  #whole(value: number): void {
    if (value < STEP) {
      let digits = 1;
      while (digits < STEP_DIGITS && value >= (powers[digits] ?? 0)) digits++;
      this.#padded(value, digits);
      return;
    }
    const high = Math.floor(value / STEP);
    this.#whole(high);
    this.#padded(value - high * STEP, STEP_DIGITS);
  }

  /** A whole number of at most nine digits, with zeros before it. */
  #padded(value: number, digits: number): void {
    let rest = value | 0;
    const end = this.#offset + digits;
    for (let position = end - 1; position >= this.#offset; position--) {
      const next = (rest / 10) | 0;
      this.#bytes[position] = ZERO + rest - next * 10;
      rest = next;
    }
    this.#offset = end;
  }

  /** Returns false, and has written nothing, if a character needs more than a byte. */
  #copied(text: string): boolean {
    const { length } = text;
    const bytes = this.#bytes;
    const start = this.#offset;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      bytes[start + index] = code;
    }
    this.#offset = start + length;
    return true;
  }

  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(this.#offset + bytes, this.#bytes.length * 2, this.#capacity));
    larger.set(this.#bytes.subarray(0, this.#offset));
    this.#bytes = larger;
  }
}
