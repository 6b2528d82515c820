import type { DeviceId } from "../../lib/ids.ts";

interface WithBytes {
  readonly bytes: Uint8Array;
}

/** Keeps each gateway's messages in order while a large message is processed in pieces. */
export class GatewayOrder {
  /** Gateway → messages that arrived after the message being processed. */
  readonly #waiting = new Map<DeviceId, Array<() => void>>();
  readonly #inPieces = new Set<DeviceId>();

  /** Processes a message now, or after the previous messages. Throws only if it is processed now. */
  take<Message extends WithBytes>(
    gatewayId: DeviceId,
    message: Message,
    take: (message: Message) => Promise<void>,
  ): Promise<void> {
    const waiting = this.#waiting.get(gatewayId);
    if (waiting === undefined) return take(message);
    // The bytes are in the connection's buffer, which is overwritten meanwhile.
    const kept = { ...message, bytes: message.bytes.slice() };
    return new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          take(kept).then(resolve, reject);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Processes a message over several turns of the event loop, while the gateway's other messages wait. */
  async takeLong<Result>(gatewayId: DeviceId, work: () => Promise<Result>): Promise<Result> {
    this.#inPieces.add(gatewayId);
    if (!this.#waiting.has(gatewayId)) this.#waiting.set(gatewayId, []);
    try {
      return await work();
    } finally {
      this.#inPieces.delete(gatewayId);
      this.#takeWaiting(gatewayId);
    }
  }

  /** Processes the waiting messages, up to the next message that is processed in pieces. */
  #takeWaiting(gatewayId: DeviceId): void {
    while (!this.#inPieces.has(gatewayId)) {
      const next = this.#waiting.get(gatewayId)?.shift();
      if (next === undefined) {
        this.#waiting.delete(gatewayId);
        return;
      }
      next();
    }
  }
}
