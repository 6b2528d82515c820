import { detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { isJsonObject, type JsonObject } from "../../lib/json/json.ts";
import { toPlainJson } from "../../lib/json/plain-json.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Changes } from "../../platform/database/resource-store.ts";
import { mapRows, type RowPage } from "../../platform/database/row-list.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { withoutHidden } from "../api/resource.ts";
import type { CommandRequest } from "../commands/commands.types.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DomainEvents } from "../events.types.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { JobRunner } from "./job-runner.ts";
import type { JobsRepository } from "./jobs.repository.ts";
import type { RunsRepository } from "./runs.repository.ts";
import { isSameSchedule, nextTime, parseSchedule } from "./schedule.ts";
import {
  actionInvalid,
  jobNotFound,
  neverRuns,
  noTimeLeft,
  notAllDevices,
  runNotFound,
  schedulerOff,
} from "./scheduler.errors.ts";
import type { Job, jobResource } from "./scheduler.resource.ts";
import type { JobAction, JobTargets, Run, RunStatus, RunTarget, Target } from "./scheduler.types.ts";
import { TARGETS_MAX } from "./scheduler.types.ts";
import type { TargetsRepository } from "./targets.repository.ts";

const ATTRIBUTES_MAX = 512;
const KEY_BYTES_MAX = 256;
const ACTION_BYTES_MAX = 64 * 1024;

/** Action in API form. */
interface ActionRequest {
  readonly type: "attributes" | "command";
  readonly deviceIds?: readonly string[] | undefined;
  readonly deviceType?: string | undefined;
  readonly attributes?: unknown;
  readonly command?: CommandRequest | undefined;
}

/** Returns the validated action of a job; `checkCommand` throws for a command that cannot be sent to any device. @throws DomainError */
function parseAction(
  actionRequest: ActionRequest,
  checks: {
    /** Returns the ids as verified. @throws DomainError for devices on which the caller may not act */
    targets: (deviceIds: readonly string[]) => DeviceId[];
    allOfType: () => void;
    command: (request: CommandRequest) => void;
  },
): JobAction {
  const targets = parseTargets(actionRequest, checks);
  if (actionRequest.type === "attributes") {
    if (actionRequest.command !== undefined) throw actionInvalid("command", detail("rule.command_job_only"));
    return { ...targets, type: "attributes", attributes: parseAttributes(actionRequest.attributes) };
  }
  const { command } = actionRequest;
  if (actionRequest.attributes !== undefined)
    throw actionInvalid("attributes", detail("rule.attributes_job_only"));
  if (!isJsonObject(command)) throw actionInvalid("command", detail("rule.command_object"));
  if (command.requestId !== undefined)
    throw actionInvalid("command.requestId", detail("rule.request_id_of_run"));
  checks.command(command);
  return { ...targets, type: "command", command: withinSize(command, "command") };
}

function parseTargets(
  { deviceIds, deviceType }: ActionRequest,
  checks: { targets: (deviceIds: readonly string[]) => DeviceId[]; allOfType: () => void },
): JobTargets {
  if ((deviceIds === undefined) === (deviceType === undefined))
    throw actionInvalid("deviceIds", detail("rule.devices_or_type"));
  if (deviceIds !== undefined) {
    const distinct = [...new Set(deviceIds)];
    if (distinct.length === 0 || distinct.length > TARGETS_MAX)
      throw actionInvalid("deviceIds", detail("rule.target_count", { max: TARGETS_MAX }));
    return { deviceIds: checks.targets(distinct) };
  }
  checks.allOfType();
  return { deviceType: deviceType ?? "" };
}

function parseAttributes(input: unknown): JsonObject {
  if (!isJsonObject(input)) throw actionInvalid("attributes", detail("rule.object_of_values"));
  const keys = Object.keys(input);
  if (keys.length === 0 || keys.length > ATTRIBUTES_MAX)
    throw actionInvalid("attributes", detail("rule.count_max", { max: ATTRIBUTES_MAX }));
  if (keys.some((key) => key === "" || Buffer.byteLength(key) > KEY_BYTES_MAX))
    throw actionInvalid("attributes", detail("rule.name_bytes", { max: KEY_BYTES_MAX }));
  const plain = toPlainJson(input, "attribute");
  return withinSize(plain as JsonObject, "attributes"); // an object went in
}

function withinSize<Value>(value: Value, field: string): Value {
  if (Buffer.byteLength(JSON.stringify(value)) > ACTION_BYTES_MAX)
    throw actionInvalid(field, detail("rule.kib_max", { max: ACTION_BYTES_MAX / 1024 }));
  return value;
}

/** Max. targets of a run shown in a list; others are requested separately. */
export const TARGETS_SHOWN = 100;
const DEVICES_SHOWN = 1_000;

type NewJob = typeof jobResource.$create;
type JobChanges = typeof jobResource.$update;

/** Job without hidden targets, which are only counted. */
export type SeenJob = Job & { readonly hiddenTargets: number };
export type SeenRun = Run & {
  /** True while waiting for other runs of its tenant. */
  readonly isWaiting: boolean;
  readonly targets: RunTarget[];
  readonly hiddenTargets: number;
};

interface Page {
  readonly limit: number;
  readonly offset: number;
  readonly search?: string | undefined;
}

interface SchedulerServiceDeps {
  jobs: JobsRepository;
  runs: RunsRepository;
  targets: TargetsRepository;
  devices: Pick<DevicesService, "ensureAllVisible" | "countTypes">;
  /** `undefined` if the scheduler is switched off. */
  runner: Pick<JobRunner, "runNow" | "isWaiting"> | undefined;
  /** @throws DomainError for a command that cannot be sent to any device */
  checkCommand: (request: CommandRequest) => void;
  events: Pick<EventBus<DomainEvents>, "emit">;
  clock: Clock;
}

/**
 * Creates the service for scheduled jobs of a tenant. A job is limited to its author's access: named devices are checked when it is saved, and only
 * users with access to all devices may select all devices of a type. Jobs outlive their author's account. Users with limited access see jobs for at
 * least one of their devices, and may change jobs for only those devices.
 */
export function createSchedulerService(deps: SchedulerServiceDeps) {
  const { jobs, runs, targets, devices, runner, clock } = deps;

  /** Returns the job as visible to the caller; undefined if the caller sees none of its devices. */
  function visibleTo(principal: Principal, job: Job, types = typesOf(principal)): SeenJob | undefined {
    const visible = principal.devices;
    if (visible === "all") return { ...job, hiddenTargets: 0 };
    const { action } = job;
    if ("deviceType" in action)
      return types().has(action.deviceType) ? { ...job, hiddenTargets: 0 } : undefined;
    const deviceIds = action.deviceIds.filter((deviceId) => visible.has(deviceId));
    const hiddenTargets = action.deviceIds.length - deviceIds.length;
    return deviceIds.length === 0 ? undefined : { ...job, action: { ...action, deviceIds }, hiddenTargets };
  }

  /** Returns the types of the devices that the caller sees, queried once. */
  function typesOf(principal: Principal): () => ReadonlySet<string> {
    let types: ReadonlySet<string> | undefined;
    return () => {
      types ??= new Set(devices.countTypes(principal).map(({ deviceType }) => deviceType));
      return types;
    };
  }

  function get(principal: Principal, jobId: string): SeenJob {
    const seen = visibleTo(principal, jobs.get(principal.tenantId, jobId));
    if (seen === undefined) throw jobNotFound();
    return seen;
  }

  /** Returns a job to change, which requires access to all of its devices. */
  function ensureOwn(principal: Principal, jobId: string): Job {
    const { hiddenTargets, ...job } = get(principal, jobId);
    const isForAll = "deviceType" in job.action && principal.devices !== "all";
    if (hiddenTargets > 0 || isForAll) throw notAllDevices();
    return job;
  }

  const parse = (principal: Principal, action: ActionRequest) =>
    parseAction(action, {
      targets: (deviceIds): DeviceId[] => devices.ensureAllVisible(principal, deviceIds),
      allOfType: () => ensureAllDevices(principal, detail("action.schedule_all_devices_type")),
      command: deps.checkCommand,
    });

  function save(principal: Principal, job: Job, changes: Changes<Job>): SeenJob {
    jobs.update(job, changes);
    return get(principal, job.jobId);
  }

  /** Returns the next time of the changed job, and its schedule; undefined if no time is left. */
  function retime(job: Job, changes: JobChanges, enabled: boolean) {
    const now = clock.now();
    const asked = changes.schedule === undefined ? job.schedule : parseSchedule(changes.schedule, now);
    if (!isSameSchedule(asked, job.schedule)) {
      const next = nextTime(asked, now);
      if (next === undefined) throw neverRuns();
      return { schedule: asked, next };
    }
    if (!enabled || job.enabled) return { schedule: job.schedule, next: job.nextRunAt };
    const next = nextTime(job.schedule, now);
    if (next === undefined) throw noTimeLeft();
    return { schedule: job.schedule, next };
  }

  function update(principal: Principal, jobId: string, changes: JobChanges): SeenJob {
    const job = ensureOwn(principal, jobId);
    const enabled = changes.enabled ?? job.enabled;
    const { schedule, next } = retime(job, changes, enabled);
    return save(principal, job, {
      name: changes.name,
      misfire: changes.misfire,
      action: changes.action && parse(principal, changes.action),
      schedule,
      enabled,
      nextRunAt: enabled ? next : null,
    });
  }

  /** Returns a run as visible to the caller. */
  function seeRun(principal: Principal, run: Run, limit = TARGETS_SHOWN): SeenRun {
    const visible = principal.devices;
    const shown = targets.list(run.runId, { visible, limit, offset: 0 });
    const isWaiting = runner?.isWaiting(run, principal.tenantId) ?? false;
    if (visible === "all") return { ...run, isWaiting, targets: shown, hiddenTargets: 0 };
    const { total, failed } = targets.count(run.runId, { visible });
    const hiddenTargets = Math.max(0, run.targetCount - total);
    return {
      ...run,
      isWaiting,
      error: hiddenTargets > 0 && run.status !== "SKIPPED" ? null : run.error,
      targetCount: total,
      failedCount: failed,
      targets: shown,
      hiddenTargets,
    };
  }

  function findRun(principal: Principal, jobId: string, runId: string): Run {
    const run = runs.find(get(principal, jobId).jobId, runId);
    if (run === undefined) throw runNotFound();
    return run;
  }

  return {
    read(principal: Principal) {
      const types = typesOf(principal);
      const all = mapRows(jobs.rows(principal.tenantId), (job) => visibleTo(principal, job, types));
      return principal.devices === "all" ? all : withoutHidden(all);
    },
    get,
    /** Returns the job's current devices that the caller may see, at most 1,000. */
    listDevices(principal: Principal, jobId: string): Target[] {
      const { tenantId, action } = get(principal, jobId);
      const { devices: visible } = principal;
      return targets
        .resolve(tenantId, action)
        .filter(({ deviceId }) => visible === "all" || visible.has(deviceId))
        .slice(0, DEVICES_SHOWN);
    },
    create(principal: Principal, newJob: NewJob): SeenJob {
      const now = clock.now();
      const schedule = parseSchedule(newJob.schedule, now);
      const action = parse(principal, newJob.action);
      const nextRunAt = nextTime(schedule, now);
      if (nextRunAt === undefined) throw neverRuns();
      const { name, enabled = true, misfire = "skip" } = newJob;
      const job = jobs.insert(principal.tenantId, {
        name,
        enabled,
        schedule,
        action,
        misfire,
        nextRunAt: enabled ? nextRunAt : null,
        lastRunAt: null,
        lastStatus: null,
        leaseOwner: null,
        leaseUntil: null,
      });
      return { ...job, hiddenTargets: 0 };
    },
    update,
    delete(principal: Principal, jobId: string): void {
      jobs.delete(ensureOwn(principal, jobId));
      deps.events.emit("subject.deleted", { kind: "job", id: jobId });
    },
    start(principal: Principal, jobId: string): SeenJob {
      const job = ensureOwn(principal, jobId);
      if (job.enabled && job.nextRunAt !== null) return get(principal, jobId);
      const nextRunAt = nextTime(job.schedule, clock.now());
      if (nextRunAt === undefined) throw noTimeLeft();
      return save(principal, job, { enabled: true, nextRunAt });
    },
    pause: (principal: Principal, jobId: string): SeenJob => update(principal, jobId, { enabled: false }),
    /** Starts a run now, even if the job is paused. */
    run(principal: Principal, jobId: string): SeenRun {
      const job = ensureOwn(principal, jobId);
      if (runner === undefined) throw schedulerOff();
      return seeRun(principal, runner.runNow(job));
    },
    listRuns(
      principal: Principal,
      jobId: string,
      { status, search, ...page }: Page & { status?: RunStatus | undefined },
    ): RowPage<SeenRun, Run> {
      get(principal, jobId);
      const filter = { visible: principal.devices, status, search };
      return {
        keys: runs.list(jobId, { ...filter, ...page }),
        total: runs.count(jobId, filter),
        // The targets of a run are long.
        read: (run) => seeRun(principal, run),
      };
    },
    getRun: (principal: Principal, jobId: string, runId: string): SeenRun =>
      seeRun(principal, findRun(principal, jobId, runId)),
    listTargets(
      principal: Principal,
      { jobId, runId }: { jobId: string; runId: string },
      page: Page & { status?: RunTarget["status"] | undefined },
    ): { items: RunTarget[]; total: number } {
      const run = findRun(principal, jobId, runId);
      const visible = principal.devices;
      const { status, search } = page;
      const { total, failed } = targets.count(run.runId, { visible, search });
      const matching = status === undefined ? total : status === "FAILED" ? failed : total - failed;
      return { items: targets.list(run.runId, { visible, ...page }), total: matching };
    },
    /** Returns the next `count` times (epoch ms); fewer if the schedule ends. */
    preview(input: unknown, count: number): number[] {
      const schedule = parseSchedule(input, clock.now());
      const times: number[] = [];
      for (let timeMs = nextTime(schedule, clock.now()); timeMs !== undefined && times.length < count; ) {
        times.push(timeMs);
        timeMs = nextTime(schedule, timeMs);
      }
      return times;
    },
  };
}

export type SchedulerService = ReturnType<typeof createSchedulerService>;
