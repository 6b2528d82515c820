import { DomainError, detail, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Perform } from "./job-actions.ts";
import type { Job } from "./scheduler.resource.ts";
import type { Run, RunStatus, RunTarget } from "./scheduler.types.ts";
import type { TargetsRepository } from "./targets.repository.ts";

/** Targets processed before other work runs; their results are written together. */
const TARGETS_PER_STEP = 25;

/** Device on which a run acts; without a name if it was deleted. */
interface Target {
  readonly deviceId: DeviceId;
  readonly name: string | null;
}

const failed = ({ deviceId, name }: Target, error: Text): RunTarget => ({
  deviceId,
  name,
  status: "FAILED",
  error,
  commandId: null,
});

/** Actions of a run on its devices. A resumed run continues with devices without a result. */
export class RunActions {
  readonly #targets: TargetsRepository;
  readonly #perform: Perform;
  readonly #durable: () => Promise<void>;
  readonly #log: Logger;

  constructor(deps: {
    targets: TargetsRepository;
    perform: Perform;
    durable: () => Promise<void>;
    log: Logger;
  }) {
    this.#targets = deps.targets;
    this.#perform = deps.perform;
    this.#durable = deps.durable;
    this.#log = deps.log;
  }

  /** Acts on all devices. Returns false if `mayGoOn` stopped it. With `tooLate`, the remaining devices only get this as their result. */
  async onAll(job: Job, run: Run, options: { mayGoOn: () => boolean; tooLate?: Text }): Promise<boolean> {
    const { mayGoOn, tooLate } = options;
    await workShare.next(); // there may be 10,000 devices
    const done = new Set(this.#targets.listIds(run.runId));
    const open = this.#targetsOf(job).filter(({ deviceId }) => !done.has(deviceId));
    for (let start = 0; start < open.length; start += TARGETS_PER_STEP) {
      if (!mayGoOn()) return false;
      const targets = open.slice(start, start + TARGETS_PER_STEP);
      const results = await Promise.all(
        targets.map((target) =>
          tooLate === undefined ? this.#act(job, run, target) : failed(target, tooLate),
        ),
      );
      this.#targets.save(run.runId, results);
      await this.#durable(); // no faster than the disk, so that the log stays short
      await workShare.next(); // in its own round: many runs may be in progress
    }
    return true;
  }

  /** Returns the run's status and error from the results of its devices. */
  resultOf(
    { action }: Job,
    { runId }: Run,
    { total, failed }: { total: number; failed: number },
  ): { status: RunStatus; error: Text | null } {
    if (total === 0 && "deviceType" in action)
      return {
        status: "SKIPPED",
        error: detail("run_result.no_device", { type: excerpt(action.deviceType) }),
      };
    if (failed === 0) return { status: "SUCCESS", error: null };
    const [only] = total === 1 ? this.#targets.list(runId, { visible: "all", limit: 1, offset: 0 }) : [];
    const error = only?.error ?? detail("run_result.devices_failed", { failed, total });
    return { status: failed === total ? "FAILED" : "PARTIAL", error };
  }

  /** Returns the targets; deleted devices come last. */
  #targetsOf({ tenantId, action }: Job): Target[] {
    const found: Target[] = this.#targets.resolve(tenantId, action);
    if ("deviceType" in action) return found;
    const existing = new Set(found.map(({ deviceId }) => deviceId));
    const gone = action.deviceIds.filter((deviceId) => !existing.has(deviceId));
    return [...found, ...gone.map((deviceId) => ({ deviceId, name: null }))];
  }

  async #act(job: Job, run: Run, target: Target): Promise<RunTarget> {
    const { deviceId, name } = target;
    if (name === null) return failed(target, detail("run_result.device_gone"));
    try {
      const commandId = await this.#perform(job, run.runId, deviceId);
      return { deviceId, name, status: "SUCCESS", error: null, commandId };
    } catch (error) {
      if (error instanceof DomainError) return failed(target, toText(error));
      this.#log.error("job failed on a device", { jobId: job.jobId, deviceId, error });
      return failed(target, detail("run_result.failed"));
    }
  }
}
