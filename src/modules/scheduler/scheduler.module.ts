import type { AttributesService } from "../attributes/attributes.service.ts";
import type { CommandsService } from "../commands/commands.service.ts";
import type { CommandRequest } from "../commands/commands.types.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createPerform } from "./job-actions.ts";
import { JobRunner } from "./job-runner.ts";
import { createJobsRepository } from "./jobs.repository.ts";
import { createRunsRepository } from "./runs.repository.ts";
import { schedulerRoutes } from "./scheduler.routes.ts";
import { createSchedulerService } from "./scheduler.service.ts";
import { createTargetsRepository } from "./targets.repository.ts";

/** Timed jobs; switched off, they can be written and read and nothing runs. */
export function createSchedulerModule(
  { config, database, clock, events, log }: Core,
  deps: {
    devices: DevicesService;
    attributes: AttributesService;
    commands: CommandsService;
    /** Throws for a command that could not be sent. */
    checkCommand: (command: CommandRequest) => unknown;
  },
) {
  const { devices, attributes, commands, checkCommand } = deps;
  const jobs = createJobsRepository(database);
  const runs = createRunsRepository(database);
  const targets = createTargetsRepository(database);
  const runner = config.scheduler_enabled
    ? new JobRunner({
        jobs,
        runs,
        targets,
        perform: createPerform({ attributes, commands }),
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
        isClockSet: () => clock.isSet(),
        log: log.child("scheduler"),
      })
    : undefined;
  const scheduler = createSchedulerService({
    jobs,
    runs,
    targets,
    devices,
    runner,
    checkCommand,
    clock,
  });
  return {
    routes: (auth: AuthPlugin) => [schedulerRoutes({ scheduler, auth })],
    parts: [{ name: "scheduler", start: () => runner?.start(), stop: () => runner?.stop() }],
  };
}
