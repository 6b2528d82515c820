import type { DeviceId, TenantId } from "../../../lib/ids.ts";
import type { FeedBacklog, FeedConfirmation, FeedRows, FeedStart, KnownDefinitions } from "./feed.types.ts";
import type { WireChunk } from "./store.protocol.ts";
import type { WorkerCalls } from "./worker-calls.ts";

/** Feeds of the store: readers that follow its writes, each from a position of its own. */
export class TelemetryFeeds {
  readonly #calls: WorkerCalls;

  constructor(calls: WorkerCalls) {
    this.#calls = calls;
  }

  /** Opens a feed of a tenant; does nothing if it is open. Until it is closed, nothing that was written since is lost for it. */
  async open(id: string, tenantId: TenantId, start: FeedStart): Promise<void> {
    await this.#calls.call("openFeed", { id, tenantId, start });
  }

  /** Closes all feeds but these. */
  async keepOnly(ids: readonly string[]): Promise<void> {
    await this.#calls.call("keepFeeds", { ids });
  }

  async close(id: string): Promise<void> {
    await this.#calls.call("closeFeed", { id });
  }

  /** Puts what is stored within a closed range into the backlog again. */
  async resend(id: string, from: number, to: number): Promise<void> {
    await this.#calls.call("resendFeed", { id, from, to });
  }

  /** Returns the rows behind `after`, or behind the position where that is newer. */
  read(id: string, args: { after: number; known: KnownDefinitions; bytesMax: number }): Promise<FeedRows> {
    return this.#calls.call("readFeed", { id, ...args });
  }

  /** Returns what was sealed before it was confirmed. */
  backlog(
    id: string,
    args: { known: KnownDefinitions; limit: number; newestFirst: boolean },
  ): Promise<FeedBacklog> {
    return this.#calls.call("feedBacklog", { id, ...args });
  }

  /** Counts about how many values were not confirmed. It takes long where there are many ranges. */
  countPoints(id: string): Promise<number> {
    return this.#calls.call("feedPoints", { id });
  }

  /** Returns the next rows of a device in a closed range; null at its end. */
  rows(deviceId: DeviceId, from: number, to: number): Promise<WireChunk | null> {
    return this.#calls.call("scan", { deviceId, keys: [], from, to });
  }

  async confirm(confirmation: FeedConfirmation): Promise<void> {
    await this.#calls.call("confirmFeed", confirmation);
  }
}
