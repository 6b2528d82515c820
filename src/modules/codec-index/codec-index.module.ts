import { ArchiveUpload } from "../../platform/files/archive-upload.ts";
import { FolderCheck } from "../../platform/files/folder-check.ts";
import { WorkThread } from "../../platform/load/work-thread.ts";
import type { CodecsModule } from "../codecs/codecs.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import { codecIndexRoutes } from "./codec-index.routes.ts";
import { CodecIndexService } from "./codec-index.service.ts";
import type { IndexJob, IndexSummary } from "./codec-index.types.ts";

const FILE = "codec-index.db";

export function createCodecIndexModule(
  { data, clock, log }: Core,
  modules: {
    readonly codecs: CodecsModule;
    readonly tenants: TenantsModule;
    readonly storage: StorageModule;
  },
) {
  const { codecs } = modules.codecs;
  const { tenants } = modules.tenants;
  const { diskGuard } = modules.storage;
  const codecIndex = new CodecIndexService({
    path: data.file(FILE),
    folders: new FolderCheck(data.path),
    upload: new ArchiveUpload(data.file("codec-index-upload"), diskGuard),
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
