const encoder = new TextEncoder();

const CAPACITY_FIRST = 64 * 1024;
/** Spare bytes of the next buffer beyond the last content. */
const SPARE_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);
/** Max. capacity that is kept. Buffers for exceptionally large texts are not. */
const CAPACITY_KEPT_MAX = 8 * 1024 * 1024;
/** Digits per step with 32-bit integers. */
const STEP_DIGITS = 9;
const STEP = 10 ** STEP_DIGITS;
/** Below this, a decimal of up to 15 digits round-trips through a double, so its digits equal those of `String`. */
const EXACT_BELOW = 1e15;
const DECIMALS_MAX = 6;
const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;
/** Max. characters copied one by one. Calling the encoder costs more for short texts. */
const SHORT_CHARACTERS = 48;

const powers = Array.from({ length: STEP_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Returns the min. number of decimals that may represent the number: a quotient of whole numbers is the number nearest to the decimal text. The
 * largest candidate quickly rules out most numbers with more decimals.
 */
function fewestDecimals(magnitude: number): number {
  const power = 10 ** DECIMALS_MAX;
  const isLonger = magnitude * power < EXACT_BELOW && Math.round(magnitude * power) / power !== magnitude;
  return isLonger ? DECIMALS_MAX + 1 : 1;
}

/**
 * Appends text as UTF-8 to a growing buffer. Numbers are written digit by digit without strings: telemetry consists mostly of whole numbers and
 * short decimals, and creating strings would be most of the work.
 */
export class TextWriter {
  #bytes = new Uint8Array(CAPACITY_FIRST);
  #offset = 0;
  /** Capacity of the next buffer, about the size of the last content. */
  #capacity = CAPACITY_FIRST;

  get length(): number {
    return this.#offset;
  }

  /** Returns the written bytes, as a view that is valid until the next write. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#offset);
  }

  /** Returns the written bytes for permanent use, and begins another buffer. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.bytes();
    this.#capacity = Math.max(CAPACITY_FIRST, bytes.length + SPARE_BYTES);
    this.#bytes = NOTHING;
    this.#offset = 0;
    return bytes;
  }

  /** Removes all bytes after the given length. */
  truncate(length = 0): void {
    this.#offset = length;
    if (length === 0 && this.#bytes.length > CAPACITY_KEPT_MAX) this.#bytes = new Uint8Array(CAPACITY_FIRST);
  }

  /** Writes one byte, such as a punctuation mark. */
  byte(value: number): void {
    if (this.#offset === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#offset++] = value;
  }

  raw(bytes: Uint8Array): void {
    if (this.#offset + bytes.length > this.#bytes.length) this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** Writes a text. Lone surrogates become U+FFFD. */
  text(text: string): void {
    const { length } = text;
    if (this.#offset + length * 3 > this.#bytes.length) this.#grow(length * 3);
    if (length <= SHORT_CHARACTERS && this.#copied(text)) return;
    this.#offset += encoder.encodeInto(text, this.#bytes.subarray(this.#offset)).written;
  }

  /** Writes the shortest text that parses back to the same number: like `String`, and `-0` for negative zero. */
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

  /** Writes a whole number from 0 to below 10^15. */
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

  /** Writes a whole number of at most nine digits with leading zeros. */
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

  /** Returns false without writing anything if a character needs more than one byte. */
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
