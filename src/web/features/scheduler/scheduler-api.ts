import type {
  jobBody,
  jobDetail,
  runBody,
  targetBody,
} from "../../../modules/scheduler/scheduler.schemas.ts";
import type { JsonValue, Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

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

export const schedulerApi = {
  list: (search: string) => getPage<Job>(BASE, { search }),
  get: (id: string) => get<JobDetail>(job(id)),
  create: (form: JobForm) => post<Job>(BASE, form),
  update: (id: string, form: Partial<JobForm>) => patch<Job>(job(id), form),
  delete: (id: string) => remove(job(id)),
  start: (id: string) => post<Job>(`${job(id)}/start`),
  pause: (id: string) => post<Job>(`${job(id)}/pause`),
  run: (id: string) => post<JobRun>(`${job(id)}/run`),
  runs: (id: string, limit: number) => getPage<JobRun>(`${job(id)}/runs`, { limit }),
  targets: (id: string, runId: string, limit: number) =>
    getPage<RunTarget>(`${job(id)}/runs/${runId}/targets`, { limit }),
  previewNext: async (schedule: JobSchedule, count: number) =>
    (await post<{ next: string[] }>(`${BASE}/preview-next`, { schedule, count })).next,
};
