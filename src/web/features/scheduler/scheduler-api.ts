import type {
  jobBody,
  jobDetail,
  runBody,
  targetBody,
} from "../../../modules/scheduler/scheduler.schemas.ts";
import type { JsonValue, Refined, Wire } from "../../lib/wire.ts";
import { call, get, post, queryOf } from "../../platform/api-client.ts";

interface Plan {
  readonly schedule: JobSchedule;
  readonly action: JobAction;
}
export type Job = Refined<Wire<typeof jobBody>, Plan>;
export type JobDetail = Refined<Wire<typeof jobDetail>, Plan>;
export type JobForm = Pick<Job, "name" | "schedule" | "action" | "misfire">;
export type JobRun = Wire<typeof runBody>;
export type RunStatus = JobRun["status"];
export type RunTarget = Wire<typeof targetBody>;

export type JobSchedule =
  | { readonly kind: "cron"; readonly expression: string; readonly timezone: string }
  | { readonly kind: "interval"; readonly everyMs: number; readonly at?: string; readonly timezone: string }
  | { readonly kind: "once"; readonly at: string; readonly timezone: string };

export interface JobCommand {
  readonly method?: string;
  readonly key?: string;
  readonly type?: string;
  readonly params?: JsonValue;
  readonly retries?: number;
  readonly [field: string]: unknown;
}

export interface JobAction {
  readonly type: "attributes" | "command";
  readonly deviceIds?: readonly string[];
  readonly deviceType?: string;
  readonly attributes?: Readonly<Record<string, JsonValue>>;
  readonly command?: JobCommand;
}

const BASE = "/api/scheduler";
const job = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

async function page<T>(path: string, query: object): Promise<{ rows: readonly T[]; total: number }> {
  const answer = await call<T[]>("GET", `${path}?${queryOf(query)}`);
  return { rows: answer.body, total: answer.total ?? answer.body.length };
}

export const schedulerApi = {
  list: (search: string) => page<Job>(BASE, { search }),
  get: (id: string) => get<JobDetail>(job(id)),
  create: (form: JobForm) => post<Job>(BASE, form),
  update: async (id: string, form: Partial<JobForm>) => (await call<Job>("PATCH", job(id), form)).body,
  delete: (id: string) => call<unknown>("DELETE", job(id)),
  start: (id: string) => post<Job>(`${job(id)}/start`),
  pause: (id: string) => post<Job>(`${job(id)}/pause`),
  run: (id: string) => post<JobRun>(`${job(id)}/run`),
  runs: (id: string, limit: number) => page<JobRun>(`${job(id)}/runs`, { limit }),
  targets: (id: string, runId: string, limit: number) =>
    page<RunTarget>(`${job(id)}/runs/${runId}/targets`, { limit }),
  previewNext: async (schedule: JobSchedule, count: number) =>
    (await post<{ next: string[] }>(`${BASE}/preview-next`, { schedule, count })).next,
};
