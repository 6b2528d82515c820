import { createCommandsRepository } from "../../../src/modules/commands/commands.repository.ts";
import type { Perform } from "../../../src/modules/scheduler/job-actions.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";
import { openRig } from "./rig.ts";

// A runner in a process of its own. Arguments: the directory, then "work", or after how many commands the process kills itself.
const [directory = "", subject = "work"] = process.argv.slice(2);

function killing(after: number): Perform {
  const database = openMainDatabase(`${directory}/lineside.db`, "lineside", createLogger("test"));
  const commands = createCommandsRepository(database);
  let done = 0;
  return async (job, runId, deviceId) => {
    const command = {
      commandId: `${runId} ${deviceId}`,
      tenantId: job.tenantId,
      deviceId,
      requestId: `run-${runId}`,
      method: "x",
      params: {},
      retries: 0,
      retryIntervalMs: 1,
      timeoutMs: 1,
      createdBy: "",
      createdAt: 1,
      expiresAt: 1,
    };
    let commandId: string | null = null;
    commands.create(
      { command, params: "{}", queuedMax: 1_000 },
      {
        committed: (created) => {
          ({ commandId } = created);
        },
        failed: () => undefined, // it was sent before
      },
    );
    commands.flush();
    if (++done === after) process.kill(process.pid, "SIGKILL");
    return commandId;
  };
}

const rig = openRig(directory, {
  clock: systemClock,
  ...(subject !== "work" && { perform: killing(Number(subject)) }),
});
await rig.runner.check();
rig.close();
