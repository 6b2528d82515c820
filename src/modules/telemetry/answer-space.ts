import { tooLarge, unavailable } from "../../lib/domain-error.ts";

const MIB = 1024 * 1024;
const SPACE_BYTES = 64 * MIB;

/** Memory for answers that wait for their readers, of all requests together: a slow reader keeps its answer for minutes. */
export class AnswerSpace {
  readonly #bytesMax: number;
  #used = 0;

  constructor(bytesMax = SPACE_BYTES) {
    this.#bytesMax = bytesMax;
  }

  get used(): number {
    return this.#used;
  }

  /** `held` are the bytes that the answer has already. 413 if the answer alone is too large, 503 if others leave no room for it. */
  take(bytes: number, held: number): void {
    if (held + bytes > this.#bytesMax)
      throw tooLarge("telemetry.answer_large", { max: Math.floor(this.#bytesMax / MIB) });
    if (this.#used + bytes > this.#bytesMax) throw unavailable("telemetry.answers_unread");
    this.#used += bytes;
  }

  give(bytes: number): void {
    this.#used -= bytes;
  }
}

/** An answer, with its part of the space. */
export class HeldAnswer {
  readonly #space: AnswerSpace;
  #bytes = 0;

  constructor(space: AnswerSpace) {
    this.#space = space;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes space for more bytes of the answer. */
  hold(bytes: number): void {
    this.#space.take(bytes, this.#bytes);
    this.#bytes += bytes;
  }

  /** Gives back the space of bytes that have been sent; without a number, of all. */
  release(bytes = this.#bytes): void {
    const released = Math.min(bytes, this.#bytes);
    this.#bytes -= released;
    this.#space.give(released);
  }
}
