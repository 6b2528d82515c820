import { ArchiveUpload } from "../../platform/archive-upload.ts";
import type { DiskGuard } from "../../platform/disk-guard.ts";
import { WorkThread } from "../../platform/work-thread.ts";
import type { CodecsService } from "../codecs/codecs.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { codecIndexRoutes } from "./codec-index.routes.ts";
import { CodecIndexService } from "./codec-index.service.ts";
import type { IndexJob, IndexSummary } from "./codec-index.types.ts";

const FILE = "codec-index.db";

/** Creates the module of the index of public codecs. */
export function createCodecIndexModule(
  { data, clock, log }: Core,
  { codecs, tenants, disk }: { codecs: CodecsService; tenants: TenantsService; disk: DiskGuard },
) {
  const codecIndex = new CodecIndexService({
    path: data.file(FILE),
    dataPath: data.path,
    upload: new ArchiveUpload(data.file("codec-index-upload"), disk),
    thread: new WorkThread<IndexJob, IndexSummary>("src/modules/codec-index/codec-index.worker.ts", {
      interrupted: "codec_index.interrupted",
      failed: "codec_index.failed",
    }),
    codecs,
    tenants,
    clock,
    log: log.child("codec-index"),
  });
  return {
    routes: (auth: AuthPlugin) => codecIndexRoutes({ codecIndex, auth }),
    parts: [{ name: "codec index", start: () => codecIndex.start(), stop: () => codecIndex.stop() }],
  };
}
