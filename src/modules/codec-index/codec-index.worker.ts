// Builds the index of a collection of codecs, which may take seconds.
import { serveThread } from "../../platform/load/work-thread.ts";
import type { IndexJob, IndexSummary } from "./codec-index.types.ts";
import { buildIndex } from "./index-build.ts";

serveThread<IndexJob, IndexSummary>("codec_index.failed", buildIndex);
