import type { Params, Text } from "../../../lib/texts/text.ts";
import { post } from "../../platform/api-client.ts";
import type { Trial } from "../codecs/codecs-api.ts";
import type { Step, Values } from "../pipelines/pipelines-api.ts";
import type { CodecUse, Integration } from "./integrations-api.ts";

export interface ScriptTransform {
  readonly enabled: boolean;
  readonly source: string;
}

export interface TransformChanges {
  readonly settings_json: { readonly codecs: readonly CodecUse[]; readonly scriptTransform: ScriptTransform };
  readonly mappingSteps: readonly Step[];
}

export interface TransformRequest extends TransformChanges {
  readonly integrationId: string;
  readonly type: Integration["type"];
  readonly payload?: unknown;
  readonly payloadText?: string;
  readonly payloadBase64?: string;
  readonly topic?: string;
}

export interface TransformPreview {
  readonly success: boolean;
  readonly ignoredText: Text | null;
  readonly trace: ReadonlyArray<{ readonly step: string; readonly in: Values; readonly out: Values | null }>;
  readonly scripts: ReadonlyArray<
    Pick<Trial, "warnings" | "console" | "usedMs"> & { readonly value: unknown }
  >;
  readonly results: ReadonlyArray<{
    readonly device: {
      readonly deviceId: string | null;
      readonly name: string | null;
      readonly isNew: boolean;
      readonly reference: Readonly<Record<string, string>>;
    };
    readonly readings: ReadonlyArray<{ readonly ts: number; readonly values: Values }>;
    readonly attributes: Readonly<Record<string, Values>>;
  }>;
  readonly errors: ReadonlyArray<{
    readonly stage: string;
    readonly message: string;
    readonly code: string;
    readonly params: Params;
    readonly line: number | null;
  }>;
  readonly warningTexts: readonly Text[];
}

export const transformApi = {
  preview: (request: TransformRequest) => post<TransformPreview>("/api/integrations/preview", request),
};
