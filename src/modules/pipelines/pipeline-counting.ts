import type { PipelinesRepository } from "./pipelines.repository.ts";
import type { Pipeline } from "./pipelines.resource.ts";
import type { PipelineCounts } from "./pipelines.types.ts";

const noCounts = (): PipelineCounts => ({
  messagesIn: 0,
  messagesOut: 0,
  messagesDropped: 0,
  errors: 0,
  lastError: null,
  lastErrorAt: null,
});

/** Creates the counters of pipelines, which are written periodically. */
export function createPipelineCounting(deps: {
  repository: Pick<PipelinesRepository, "addCounts">;
  transact: (work: () => void) => void;
}) {
  const { repository } = deps;
  /** Counters by pipeline. */
  const counts = new Map<string, PipelineCounts>();

  function of(pipelineId: string): PipelineCounts {
    const pipelineCounts = counts.get(pipelineId);
    if (pipelineCounts !== undefined) return pipelineCounts;
    const newPipelineCounts = noCounts();
    counts.set(pipelineId, newPipelineCounts);
    return newPipelineCounts;
  }

  function flush(): void {
    const written = [...counts].filter(([, { messagesIn }]) => messagesIn > 0);
    if (written.length === 0) return;
    deps.transact(() => {
      for (const [pipelineId, count] of written) repository.addCounts(pipelineId, count);
    });
    for (const [, count] of written) Object.assign(count, noCounts());
  }

  return {
    /** Returns unwritten counters, always as the same object. */
    of,
    flush,
    forgetError(pipelineId: string): void {
      const pipelineCounts = counts.get(pipelineId);
      if (pipelineCounts !== undefined) Object.assign(pipelineCounts, { lastError: null, lastErrorAt: null });
    },
    /** Returns the counters, including unwritten ones. */
    countsOf({
      pipelineId,
      messagesIn,
      messagesOut,
      messagesDropped,
      errors,
      lastError,
      lastErrorAt,
    }: Pipeline): PipelineCounts {
      const fresh = counts.get(pipelineId) ?? noCounts();
      return {
        messagesIn: messagesIn + fresh.messagesIn,
        messagesOut: messagesOut + fresh.messagesOut,
        messagesDropped: messagesDropped + fresh.messagesDropped,
        errors: errors + fresh.errors,
        lastError: fresh.lastError ?? lastError,
        lastErrorAt: fresh.lastErrorAt ?? lastErrorAt,
      };
    },
  };
}
