// Accesses the folder of backups for the thread of a run, which a silent disk must not hold up: a run keeps the databases frozen.
import { ensureOutside } from "../../platform/files/outside-folder.ts";
import { endOnRequest } from "../../platform/load/end-thread.ts";
import { ThreadCalls } from "../../platform/load/thread-calls.ts";
import { FolderTarget } from "./targets/folder-target.ts";
import type { FolderCalls, FolderThreadRequest } from "./targets/limited-folder.ts";

declare const self: Worker;

/** Bytes of received objects after which garbage is collected explicitly: the collector does not know their size. */
const COLLECTED_BYTES = 8 * 1024 * 1024;

endOnRequest();
self.onmessage = ({ data: { path, dataPath, port } }: MessageEvent<FolderThreadRequest>) => {
  const target = new FolderTarget(path);
  let uncollected = 0;
  const calls = new ThreadCalls<Record<string, never>, FolderCalls>(
    (message, transfer) => port.postMessage(message, transfer),
    {
      ensureOutside: async () => ensureOutside(path, dataPath),
      list: (prefix) => target.list(prefix),
      sizes: (prefix) => target.sizes(prefix),
      read: (name) => target.read(name),
      async write({ name, bytes }) {
        await target.write(name, bytes);
        uncollected += bytes.length;
        if (uncollected < COLLECTED_BYTES) return;
        uncollected = 0;
        Bun.gc(true);
      },
      remove: (name) => target.remove(name),
      removeUnfinished: () => target.removeUnfinished(),
    },
  );
  port.onmessage = ({ data }: MessageEvent<unknown>) => calls.receive(data);
};
