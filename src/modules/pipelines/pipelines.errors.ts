import { notFound } from "../../lib/core/domain-error.ts";

export const pipelineNotFound = () => notFound("pipeline.not_found");
export const versionNotFound = () => notFound("pipeline.version_not_found");
