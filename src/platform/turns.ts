import { workShare } from "./fair-share.ts";

/** Waits for a round of the event loop in which no other long task goes on. */
export const nextTurn = (): Promise<void> => workShare.next();

/** Divides long work on the main thread, so that it never holds up the event loop. */
export class Turns {
  /** Call it between two small parts of the work: it waits if this round of the event loop has no time left. */
  async pass(): Promise<void> {
    await workShare.pause();
  }
}
