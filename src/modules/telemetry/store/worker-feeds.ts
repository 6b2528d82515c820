import type { FeedConfirmation, TelemetryFeeds } from "./feed.types.ts";
import type { WorkerCalls } from "./worker-calls.ts";

/** The feeds as calls to the worker. */
export function createWorkerFeeds(calls: WorkerCalls): TelemetryFeeds {
  return {
    open: async (id, tenantId, start) => void (await calls.call("openFeed", { id, tenantId, start })),
    close: async (id) => void (await calls.call("closeFeed", { id })),
    closeOf: async (tenantId) => void (await calls.call("closeFeedsOf", { tenantId })),
    keepOnly: async (ids) => void (await calls.call("keepFeeds", { ids })),
    resend: async (id, from, to) => void (await calls.call("resendFeed", { id, from, to })),
    read: (id, args) => calls.call("readFeed", { id, ...args }),
    backlog: (id, args) => calls.call("feedBacklog", { id, ...args }),
    countPoints: (id) => calls.call("feedPoints", { id }),
    rows: (deviceId, from, to) => calls.call("scan", { deviceId, keys: [], from, to }),
    confirm: async (confirmation: FeedConfirmation) => void (await calls.call("confirmFeed", confirmation)),
  };
}
