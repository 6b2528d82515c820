import type {
  deliveryBody,
  newestMessageBody,
  pipelineBody,
  previewResponse,
  stepTypeBody,
  versionBody,
  wholeDelivery,
} from "../../../modules/pipelines/pipelines.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, queryOf, remove } from "../../platform/api-client.ts";

interface Steps {
  readonly steps: readonly Step[];
}
export type Pipeline = Refined<Wire<typeof pipelineBody>, Steps>;
export type PipelineScope = Pipeline["scope"];
export type PipelineForm = Pick<Pipeline, "name" | "description" | "order" | "scope" | "steps">;
export type PipelineVersion = Refined<Wire<typeof versionBody>, Steps>;
export type Delivery = Wire<typeof deliveryBody>;
export type Preview = Refined<
  Wire<typeof previewResponse>,
  {
    /** Null if a step drops the message. */
    result: { readonly ts: number; readonly telemetry: Values; readonly attributes: Values } | null;
    trace: readonly Refined<
      Wire<typeof previewResponse>["trace"][number],
      { in: Values; out: Values | null }
    >[];
    webhookPreviews: readonly Refined<
      Wire<typeof previewResponse>["webhookPreviews"][number],
      { headers: Readonly<Record<string, string>> }
    >[];
  }
>;

/** Type and fields of a step, and whether it is enabled. */
export interface Step {
  readonly type: string;
  readonly enabled?: boolean;
  readonly [field: string]: unknown;
}

/** JSON Schema, reduced to the keywords of fields of steps. */
export interface FieldSchema {
  readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object";
  readonly description?: string;
  readonly const?: string;
  readonly anyOf?: readonly FieldSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly patternProperties?: Readonly<Record<string, FieldSchema>>;
}

export type StepType = Refined<
  Wire<typeof stepTypeBody>,
  {
    fields: {
      readonly required?: readonly string[];
      readonly properties: Readonly<Record<string, FieldSchema>>;
    };
    example: { readonly step: Step; readonly in: unknown; readonly out: unknown };
  }
>;

type NewestMessage = Refined<
  Wire<typeof newestMessageBody>,
  { message: { readonly ts: number; readonly telemetry: Values } | null }
>;

export type Values = Readonly<Record<string, unknown>>;

export interface PreviewRequest {
  readonly steps: readonly Step[];
  readonly telemetry: unknown;
  readonly ts?: number;
  readonly context?: unknown;
}

export type DeliveryState = Delivery["state"];

const BASE = "/api/data-pipelines";
const pipeline = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const delivery = (id: string) => `${BASE}/deliveries/${encodeURIComponent(id)}`;

export const pipelinesApi = {
  list: () => get<Pipeline[]>(BASE),
  get: (id: string) => get<Pipeline>(pipeline(id)),
  stepTypes: () => get<StepType[]>(`${BASE}/step-types`),
  create: (form: Partial<PipelineForm> & { name: string }) => post<Pipeline>(BASE, form),
  update: (id: string, changes: Partial<PipelineForm>) => patch<Pipeline>(pipeline(id), changes),
  delete: (id: string) => remove(pipeline(id)),
  start: (id: string) => post<Pipeline>(`${pipeline(id)}/start`),
  pause: (id: string) => post<Pipeline>(`${pipeline(id)}/pause`),
  newestMessage: async (deviceId: string) =>
    (await get<NewestMessage>(`${BASE}/newest-message/${encodeURIComponent(deviceId)}`)).message,
  preview: (request: PreviewRequest) => post<Preview>(`${BASE}/preview`, request),
  versions: (id: string) => get<PipelineVersion[]>(`${pipeline(id)}/versions`),
  rollBack: (id: string, version: number) => post<Pipeline>(`${pipeline(id)}/rollback`, { version }),
  deliveries: (query: { pipelineId: string; state?: DeliveryState | undefined; limit: number }) =>
    getPage<Delivery>(`${BASE}/deliveries`, query),
  delivery: (id: string) => get<Wire<typeof wholeDelivery>>(delivery(id)),
  replay: (id: string) => post<Delivery>(`${delivery(id)}/replay`),
  deleteDelivery: (id: string) => remove(delivery(id)),
  replayAll: (id: string) => post<{ replayed: number }>(`${pipeline(id)}/deliveries/replay`),
  deleteAll: async (id: string, state: DeliveryState) =>
    await remove<{ deleted: number }>(`${pipeline(id)}/deliveries?${queryOf({ state })}`),
};
