import type {
  previewBody,
  previewedResult,
  previewedScript,
  previewedStep,
  previewResponse,
} from "../../../modules/integrations/integrations.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { post } from "../../platform/api-client.ts";
import type { Step, Values } from "../pipelines/pipelines-api.ts";
import type { IntegrationSettings } from "./integrations-api.ts";

export type ScriptTransform = NonNullable<IntegrationSettings["scriptTransform"]>;
export interface TransformChanges {
  readonly settings_json: Required<Pick<IntegrationSettings, "codecs" | "scriptTransform">>;
  readonly mappingSteps: readonly Step[];
}
export type TransformRequest = Refined<
  Wire<typeof previewBody>,
  TransformChanges & { integrationId: string; payload?: unknown }
>;
export type TransformPreview = Refined<
  Wire<typeof previewResponse>,
  {
    trace: readonly Refined<Wire<typeof previewedStep>, { in: Values; out: Values | null }>[];
    scripts: readonly Wire<typeof previewedScript>[];
    results: readonly Wire<typeof previewedResult>[];
  }
>;

export const transformApi = {
  preview: (request: TransformRequest) => post<TransformPreview>("/api/integrations/preview", request),
};
