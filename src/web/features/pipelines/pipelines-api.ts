import { call, get, post, queryOf } from "../../platform/api-client.ts";

export interface PipelineScope {
  readonly deviceIds?: readonly string[];
  readonly deviceTypes?: readonly string[];
  readonly profileIds?: readonly string[];
}

/** Its type, whether it takes part, and its fields. */
export interface Step {
  readonly type: string;
  readonly enabled?: boolean;
  readonly [field: string]: unknown;
}

export interface WebhookCounts {
  readonly sent: number;
  readonly failed: number;
  readonly waiting: number;
  readonly dead: number;
  /** ISO 8601, as all times here. */
  readonly lastSentAt: string | null;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
}

export interface Pipeline {
  readonly pipelineId: string;
  readonly name: string;
  readonly description: string;
  readonly status: "draft" | "active" | "paused";
  readonly order: number;
  readonly scope: PipelineScope;
  readonly steps: readonly Step[];
  readonly version: number;
  readonly stats: {
    readonly in: number;
    readonly out: number;
    readonly dropped: number;
    readonly errors: number;
  };
  readonly webhooks: WebhookCounts;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
}

export interface PipelineForm {
  readonly name: string;
  readonly description: string;
  readonly order: number;
  readonly scope: PipelineScope;
  readonly steps: readonly Step[];
}

export interface PipelineVersion {
  readonly version: number;
  readonly scope: PipelineScope;
  readonly steps: readonly Step[];
  readonly by: string;
  readonly createdAt: string;
}

/** JSON Schema, as far as fields of steps use it. */
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

export interface StepType {
  readonly type: string;
  readonly summary: string;
  readonly fields: {
    readonly required?: readonly string[];
    readonly properties: Readonly<Record<string, FieldSchema>>;
  };
  readonly example: { readonly step: Step; readonly in: unknown; readonly out: unknown };
}

export type Values = Readonly<Record<string, unknown>>;

export interface Preview {
  /** Null when a step drops the message. */
  readonly result: { readonly ts: number; readonly telemetry: Values; readonly attributes: Values } | null;
  readonly trace: ReadonlyArray<{
    /** Among the steps that take part. */
    readonly index: number;
    readonly step: string;
    readonly in: Values;
    readonly out: Values | null;
    readonly error?: string;
  }>;
  readonly webhookPreviews: ReadonlyArray<{
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  }>;
  readonly webhookWarnings: readonly string[];
  readonly warnings: readonly string[];
}

export interface PreviewRequest {
  readonly steps: readonly Step[];
  readonly telemetry: unknown;
  readonly ts?: number;
  readonly context?: unknown;
}

export interface Delivery {
  readonly deliveryId: string;
  readonly deviceId: string;
  readonly url: string;
  readonly method: string;
  readonly state: "waiting" | "dead";
  readonly attempts: number;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly nextAttemptAt: string | null;
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
  update: async (id: string, changes: Partial<PipelineForm>) =>
    (await call<Pipeline>("PATCH", pipeline(id), changes)).body,
  delete: (id: string) => call<unknown>("DELETE", pipeline(id)),
  start: (id: string) => post<Pipeline>(`${pipeline(id)}/start`),
  pause: (id: string) => post<Pipeline>(`${pipeline(id)}/pause`),
  newestMessage: async (deviceId: string) =>
    (
      await get<{ message: { ts: number; telemetry: Values } | null }>(
        `${BASE}/newest-message/${encodeURIComponent(deviceId)}`,
      )
    ).message,
  preview: (request: PreviewRequest) => post<Preview>(`${BASE}/preview`, request),
  versions: (id: string) => get<PipelineVersion[]>(`${pipeline(id)}/versions`),
  rollBack: (id: string, version: number) => post<Pipeline>(`${pipeline(id)}/rollback`, { version }),
  async deliveries(query: { pipelineId: string; state?: DeliveryState | undefined; limit: number }) {
    const answer = await call<Delivery[]>("GET", `${BASE}/deliveries?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  delivery: (id: string) => get<Delivery & { readonly body: string }>(delivery(id)),
  replay: (id: string) => post<Delivery>(`${delivery(id)}/replay`),
  deleteDelivery: (id: string) => call<unknown>("DELETE", delivery(id)),
  replayAll: (id: string) => post<{ replayed: number }>(`${pipeline(id)}/deliveries/replay`),
  deleteAll: async (id: string, state: DeliveryState) =>
    (await call<{ deleted: number }>("DELETE", `${pipeline(id)}/deliveries?${queryOf({ state })}`)).body,
};
