import type {
  codecBody,
  createCodecBody,
  listedCodecBody,
  trialBody,
  trialResponse,
} from "../../../modules/codecs/codecs.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, patch, post, remove } from "../../platform/api-client.ts";

export type ListedCodec = Wire<typeof listedCodecBody>;
export type Codec = Wire<typeof codecBody>;
export type CodecForm = Wire<typeof createCodecBody>;
export type TrialRequest = Wire<typeof trialBody>;
export type Trial = Wire<typeof trialResponse>;
export type ConsoleLine = Trial["console"][number];

const BASE = "/api/integrations/codecs";
const codec = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

export const codecsApi = {
  list: () => get<ListedCodec[]>(BASE),
  get: (id: string) => get<Codec>(codec(id)),
  create: (form: CodecForm) => post<Codec>(BASE, form),
  update: (id: string, changes: Partial<CodecForm>) => patch<Codec>(codec(id), changes),
  delete: (id: string) => remove(codec(id)),
  preview: (request: TrialRequest) => post<Trial>(`${BASE}/preview`, request),
};
