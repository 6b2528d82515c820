import type { AttributesService } from "../modules/attributes/attributes.service.ts";
import { reduceRequest } from "../modules/commands/command-request.ts";
import type { CommandsService } from "../modules/commands/commands.service.ts";
import type { DevicesService } from "../modules/devices/devices.service.ts";
import type { DomainEvents } from "../modules/events.types.ts";
import { createPerform } from "../modules/scheduler/job-actions.ts";
import { JobRunner } from "../modules/scheduler/job-runner.ts";
import { createJobsRepository } from "../modules/scheduler/jobs.repository.ts";
import { createRunsRepository } from "../modules/scheduler/runs.repository.ts";
import { createSchedulerService } from "../modules/scheduler/scheduler.service.ts";
import { createTargetsRepository } from "../modules/scheduler/targets.repository.ts";
import type { Clock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import type { MainDatabase } from "../platform/database.ts";
import type { EventBus } from "../platform/event-bus.ts";
import type { Part } from "../platform/lifecycle.ts";
import type { Logger } from "../platform/log.ts";

/** Wires timed jobs; switched off, they can be written and read and nothing runs. */
export function createScheduler(deps: {
  config: Pick<Config, "scheduler_enabled">;
  database: MainDatabase;
  devices: DevicesService;
  attributes: AttributesService;
  commands: CommandsService;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { database, clock, events, log } = deps;
  const jobs = createJobsRepository(database);
  const runs = createRunsRepository(database);
  const targets = createTargetsRepository(database);
  const runner = deps.config.scheduler_enabled
    ? new JobRunner({
        jobs,
        runs,
        targets,
        perform: createPerform(deps),
        transact: database.transact,
        durable: database.durable,
        onFinished: ({ tenantId, job, run }) =>
          events.emit("job.finished", {
            tenantId,
            jobId: job.jobId,
            name: job.name,
            runId: run.runId,
            status: run.status,
            deviceIds: targets.listIds(run.runId),
          }),
        clock,
        log,
      })
    : undefined;
  const scheduler = createSchedulerService({
    jobs,
    runs,
    targets,
    devices: deps.devices,
    runner,
    checkCommand: reduceRequest,
    clock,
  });
  const part: Part = {
    name: "scheduler",
    start: () => runner?.start(),
    stop: () => runner?.stop(),
  };
  return { scheduler, schedulerPart: part };
}
