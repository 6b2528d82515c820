import type {
  actionBody,
  jobBody,
  jobDetail,
  runBody,
  targetBody,
} from "../../../modules/scheduler/scheduler.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, remove } from "../../platform/api-client.ts";

export type JobAction = Wire<typeof actionBody>;
export type Job = Refined<Wire<typeof jobBody>, { action: JobAction }>;
export type JobSchedule = Job["schedule"];
export type JobDetail = Refined<Wire<typeof jobDetail>, { action: JobAction }>;
export type JobForm = Pick<Job, "name" | "schedule" | "action" | "misfire">;
export type JobRun = Wire<typeof runBody>;
export type RunStatus = JobRun["status"];
export type RunTarget = Wire<typeof targetBody>;

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
