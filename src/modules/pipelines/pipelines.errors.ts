import { conflict, notFound } from "../../lib/domain-error.ts";

export const pipelineNotFound = () => notFound("pipeline.not_found", "There is no such data pipeline.");
export const versionNotFound = () =>
  notFound("pipeline.version_not_found", "The pipeline has no such version any more.");
export const tooManyPipelines = (max: number) =>
  conflict("pipeline.too_many", `A site has at most ${max} data pipelines.`);
