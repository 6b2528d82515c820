import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId, UserId } from "../../lib/core/ids.ts";
import type { AttributesService } from "../attributes/attributes.service.ts";
import type { CommandsService } from "../commands/commands.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { Job } from "./scheduler.resource.ts";

/** Performs a job's action on one device; resolves to the id of the command, if it is one. */
export type Perform = (job: Job, runId: string, deviceId: DeviceId) => Promise<string | null>;

/**
 * Returns the principal of a job: a program of the tenant that sees only this device. The author's access to the device was checked when the job was
 * saved.
 */
const principalOf = ({ jobId, tenantId, name }: Job, deviceId: DeviceId): Principal => ({
  userId: jobId as UserId, // not a user: unknown to audit log and access control
  email: `scheduler: ${name}`,
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: new Set([deviceId]),
});

export function createPerform(deps: {
  attributes: Pick<AttributesService, "set">;
  commands: Pick<CommandsService, "create">;
}): Perform {
  return async (job, runId, deviceId) => {
    const principal = principalOf(job, deviceId);
    const { action } = job;
    if (action.type === "attributes") {
      deps.attributes.set(principal, deviceId, "SHARED", action.attributes);
      return null;
    }
    try {
      // The request id is the run's: a run that is taken up again after a crash sends no command twice.
      const request = { ...action.command, requestId: `run-${runId}` };
      return (await deps.commands.create(principal, deviceId, request, 0)).commandId;
    } catch (error) {
      if (error instanceof DomainError && error.code === "command.request_id_taken") return null;
      throw error;
    }
  };
}
