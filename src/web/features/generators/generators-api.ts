import type { Text } from "../../../lib/texts/text.ts";
import type { generatorBody } from "../../../modules/generators/generators.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

export type Generator = Refined<Wire<typeof generatorBody>, { config: GeneratorConfig }>;

export const PATTERNS = ["walk", "random", "sine", "counter"] as const;
export type Pattern = (typeof PATTERNS)[number];

export interface Metric {
  readonly key: string;
  readonly min: number;
  readonly max: number;
  readonly decimals?: number;
  readonly pattern?: Pattern;
  readonly step?: number;
  readonly periodSeconds?: number;
}

export interface GeneratorConfig {
  readonly intervalSeconds: number;
  readonly metrics: readonly Metric[];
  readonly deviceIds?: readonly string[];
}

export interface GeneratorForm {
  readonly name: string;
  readonly description: string;
  readonly config: GeneratorConfig;
}

export interface GeneratorPreview {
  readonly success: boolean;
  readonly result: {
    readonly readings?: readonly { readonly ts: number; readonly values: Readonly<Record<string, number>> }[];
    readonly valuesPerDay?: number;
  };
  readonly warningTexts: readonly Text[];
  readonly errorTexts: readonly Text[];
}

const BASE = "/api/rule-chains";
const chain = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

export const generatorsApi = {
  list: (search: string) => getPage<Generator>(BASE, { search }),
  get: (id: string) => get<Generator>(chain(id)),
  create: (form: GeneratorForm, status: "draft" | "active") =>
    post<Generator>(BASE, { ...form, type: "data_generator", enabled: true, status }),
  update: (id: string, form: GeneratorForm) => patch<Generator>(chain(id), form),
  delete: (id: string) => remove(chain(id)),
  start: (id: string) => post<Generator>(`${chain(id)}/start`),
  pause: (id: string) => post<Generator>(`${chain(id)}/pause`),
  preview: (config: GeneratorConfig) => post<GeneratorPreview>(`${BASE}/preview`, { config }),
};
