/** Limits of webhooks sent by the steps on a message, so that one small message does not cause the work of thousands. */
export const webhookLimits = {
  /** Max. webhooks per timestamp of a message. */
  perTimestamp: 100,
  /** Max. webhooks per message, which may have values of many timestamps. */
  perMessage: 5_000,
  /** Max. characters of all bodies of a message. */
  charactersPerMessage: 8 * 1024 * 1024,
} as const;

interface Taken {
  readonly ofTimestamp: number;
  readonly ofMessage: number;
  readonly characters: number;
}

const nothing: Taken = { ofTimestamp: 0, ofMessage: 0, characters: 0 };

/** Counts the webhooks of the current message. */
class WebhookRoom {
  #taken = nothing;

  /** Begins the next message. */
  restart(): void {
    this.#taken = nothing;
  }

  /** Begins the next timestamp of the message. */
  nextTimestamp(): void {
    if (this.#taken.ofTimestamp > 0) this.#taken = { ...this.#taken, ofTimestamp: 0 };
  }

  get isFull(): boolean {
    const { ofTimestamp, ofMessage, characters } = this.#taken;
    return (
      ofTimestamp >= webhookLimits.perTimestamp ||
      ofMessage >= webhookLimits.perMessage ||
      characters >= webhookLimits.charactersPerMessage
    );
  }

  /** Counts a webhook. Returns false if there is no room for it. */
  take(characters: number): boolean {
    const { ofTimestamp, ofMessage, characters: before } = this.#taken;
    if (this.isFull || before + characters > webhookLimits.charactersPerMessage) return false;
    this.#taken = {
      ofTimestamp: ofTimestamp + 1,
      ofMessage: ofMessage + 1,
      characters: before + characters,
    };
    return true;
  }

  /** Returns the current count, for `reset` if the steps start over. */
  mark(): Taken {
    return this.#taken;
  }

  reset(mark: Taken): void {
    this.#taken = mark;
  }
}

/** Room of the current message: messages run through their steps one after the other, without a pause. */
export const webhookRoom = new WebhookRoom();
