import type { DeviceId } from "../../lib/ids.ts";

interface WithBytes {
  readonly bytes: Uint8Array;
}

/** Keeps the messages of each gateway in their order while a large one is taken in pieces. */
export class GatewayOrder {
  /** Gateway → messages that came after the one that is being taken. */
  readonly #waiting = new Map<DeviceId, Array<() => void>>();
  readonly #inPieces = new Set<DeviceId>();

  /** Takes a message now, or after those before it. Throws only if it is taken now. */
  take<Message extends WithBytes>(
    gatewayId: DeviceId,
    message: Message,
    take: (message: Message) => Promise<void>,
  ): Promise<void> {
    const waiting = this.#waiting.get(gatewayId);
    if (waiting === undefined) return take(message);
    // The bytes are those of the connection's buffer, which is filled anew meanwhile.
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

  /** Does the work of a message that takes several turns of the event loop; others of the gateway wait for its end. */
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

  /** Takes what waits, up to the next message that is taken in pieces. */
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
