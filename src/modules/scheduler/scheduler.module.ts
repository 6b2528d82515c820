import { detail } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { AttributesModule } from "../attributes/attributes.module.ts";
import type { CommandsModule } from "../commands/commands.module.ts";
import type { DevicesModule } from "../devices/devices.module.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import { createPerform } from "./job-actions.ts";
import { JobRunner } from "./job-runner.ts";
import { createJobsRepository } from "./jobs.repository.ts";
import { createRunsRepository } from "./runs.repository.ts";
import type { Job } from "./scheduler.resource.ts";
import { schedulerRoutes } from "./scheduler.routes.ts";
import { createSchedulerService } from "./scheduler.service.ts";
import { createTargetsRepository } from "./targets.repository.ts";

/** Returns a function that reports runs that failed, wholly or partly, or did nothing. */
const failureReporter =
  (events: Core["events"]) =>
  ({ tenantId, jobId, name }: Job, code: "fault.job_failed" | "fault.job_skipped", reason: Text): void =>
    events.emit("fault.occurred", {
      ...detail(code, { reason }),
      source: "scheduler",
      tenantId,
      subject: { kind: "job", id: jobId, name },
    });

/** Creates the scheduled jobs. If switched off, they can be edited and read but do not run. */
export function createSchedulerModule(
  { responses, config, database, clock, events, log }: Core,
  modules: {
    readonly devices: DevicesModule;
    readonly attributes: AttributesModule;
    readonly commands: CommandsModule;
  },
) {
  const { devices } = modules.devices;
  const { attributes } = modules.attributes;
  const { commands, checkCommand } = modules.commands;
  const jobs = createJobsRepository(database, clock);
  const runs = createRunsRepository(database);
  const targets = createTargetsRepository(database);
  const report = failureReporter(events);
  const runner = config.scheduler_enabled
    ? new JobRunner({
        jobs,
        runs,
        targets,
        perform: createPerform({ attributes, commands }),
        transact: database.transact,
        durable: database.durable,
        onFinished({ tenantId, job, run }) {
          events.emit("job.finished", {
            tenantId,
            jobId: job.jobId,
            name: job.name,
            runId: run.runId,
            status: run.status,
            deviceIds: targets.listIds(run.runId),
          });
          if (run.error !== null)
            report(job, run.status === "SKIPPED" ? "fault.job_skipped" : "fault.job_failed", run.error);
        },
        onMissed: (job, reason) => report(job, "fault.job_skipped", reason),
        clock,
        isClockSet: () => clock.isSet(),
        retentionTime: () => clock.retentionTime(),
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
    events,
    clock,
  });
  return {
    routes: (auth: AuthPlugin) => [schedulerRoutes({ scheduler, responses, auth })],
    parts: [{ name: "scheduler", start: () => runner?.start(), stop: () => runner?.stop() }],
  };
}
