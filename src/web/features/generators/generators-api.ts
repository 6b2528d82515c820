import type {
  generatorBody,
  generatorConfigSchema,
  generatorReadings,
  previewResponse,
} from "../../../modules/generators/generators.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

export type Generator = Refined<Wire<typeof generatorBody>, { config: GeneratorConfig }>;

export type GeneratorConfig = Wire<typeof generatorConfigSchema>;
export type Metric = GeneratorConfig["metrics"][number];
export type GeneratorForm = Required<Pick<Generator, "name" | "description" | "config">>;
export type GeneratorPreview = Refined<
  Wire<typeof previewResponse>,
  { result: Wire<typeof generatorReadings> }
>;

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
