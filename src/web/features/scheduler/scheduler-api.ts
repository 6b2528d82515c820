import type { JsonValue } from "../../lib/api-types.ts";
import { call, get, post, queryOf } from "../../platform/api-client.ts";

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

export type RunStatus = "RUNNING" | "SUCCESS" | "FAILED" | "PARTIAL" | "SKIPPED";
export type Misfire = "skip" | "once";

export interface Job {
  readonly jobId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly status: "active" | "paused" | "completed";
  readonly schedule: JobSchedule;
  readonly action: JobAction;
  readonly misfire: Misfire;
  /** ISO 8601. */
  readonly nextRunAt: string | null;
  readonly lastRunAt: string | null;
  readonly lastStatus: RunStatus | null;
  /** Devices that the reader may not see. */
  readonly hiddenTargets: number;
}

export interface JobDetail extends Job {
  readonly devices: readonly { readonly deviceId: string; readonly name: string }[];
}

export interface RunTarget {
  readonly deviceId: string;
  readonly name: string | null;
  readonly status: "SUCCESS" | "FAILED";
  readonly error: string | null;
  readonly commandId: string | null;
}

export interface JobRun {
  readonly runId: string;
  readonly scheduledFor: string;
  readonly trigger: "SCHEDULE" | "MANUAL";
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly status: RunStatus;
  readonly error: string | null;
  readonly missed: number;
  readonly targetCount: number;
  readonly failedCount: number;
  readonly hiddenTargets: number;
  /** The first hundred. */
  readonly targets: readonly RunTarget[];
}

export interface JobForm {
  readonly name: string;
  readonly schedule: JobSchedule;
  readonly action: JobAction;
  readonly misfire: Misfire;
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
