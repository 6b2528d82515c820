// Accesses the folder of one uplink. A silent disk would hold the thread of all uplinks.
import { endOnRequest } from "../../../../platform/load/end-thread.ts";
import { ThreadCalls } from "../../../../platform/load/thread-calls.ts";
import { FolderStore } from "./folder-store.ts";
import type { FolderStoreCalls } from "./threaded-folder.ts";

declare const self: Worker;

/** Bytes of received objects after which garbage is collected explicitly: the collector does not know their size. */
const COLLECTED_BYTES = 8 * 1024 * 1024;
let uncollected = 0;

const calls = new ThreadCalls<Record<string, never>, FolderStoreCalls>(
  (message, transfer) => self.postMessage(message, transfer),
  {
    list: ({ root, name }) => new FolderStore(root).list(name),
    has: ({ root, name }) => new FolderStore(root).has(name),
    read: ({ root, name }) => new FolderStore(root).read(name),
    async write({ root, name, bytes }) {
      await new FolderStore(root).write(name, bytes);
      uncollected += bytes.length;
      if (uncollected < COLLECTED_BYTES) return;
      uncollected = 0;
      Bun.gc(true);
    },
    remove: ({ root, name }) => new FolderStore(root).remove(name),
  },
);
endOnRequest();
self.onmessage = ({ data }: MessageEvent<unknown>) => calls.receive(data);
