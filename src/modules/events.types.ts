import type { DeviceId, ProfileId, TenantId, UserId } from "../lib/core/ids.ts";
import type { JsonValue } from "../lib/json/json.ts";
import type { Alarm, AlarmEventType } from "./alarms/alarms.types.ts";
import type { AttributeScope } from "./attributes/attributes.types.ts";
import type { CommandState } from "./commands/commands.types.ts";
import type { DeviceRejection } from "./devices/devices.types.ts";
import type { Fault, FaultSubject } from "./faults/faults.types.ts";
import type { MailState } from "./mail/mail.types.ts";
import type { RunStatus } from "./scheduler/scheduler.types.ts";

interface DeviceEvent {
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
}

/** Events between modules, for cross-cutting reactions. Queries between modules are constructor arguments instead. */
export interface DomainEvents {
  "device.created": DeviceEvent;
  "device.updated": DeviceEvent;
  "device.deleted": DeviceEvent;
  "device.credentials": DeviceEvent;
  "device.state": DeviceEvent & { readonly active: boolean; readonly lastActivityAt: number | null };
  "device.rejected": DeviceEvent & { readonly rejection: DeviceRejection };
  /** Published when maintenance of a device begins or changes; `until` is `null` when it is over. */
  "device.maintenance": DeviceEvent & { readonly until: number | null };
  /** Published for a problem that a user should know about: a refused credential, message or connection, or a failed delivery. */
  "fault.occurred": Fault;
  /** Published when an object whose faults are listed was deleted. */
  "subject.deleted": Pick<FaultSubject, "kind" | "id">;
  /** Published when a user starts a session; not for impersonation. */
  "user.signed-in": { readonly userId: UserId };
  /** Published when a session ends, to stop everything that runs under it. `isChanged`: the client may reconnect and gets different content. */
  "session.ended": { readonly sessionId: string; readonly isChanged?: boolean };
  /** Published when a user was disabled, deleted or given another role, to stop everything that acts in the user's name. */
  "user.signed-out": { readonly userId: UserId };
  /** Published when the devices that a user may see have changed. */
  "user.access": { readonly userId: UserId };
  "mail.changed": {
    readonly tenantId: TenantId | null;
    readonly mailId: string;
    readonly state: MailState;
  };
  /** Published before an integration is deleted, with everything that belongs to it. */
  "integration.deleting": { readonly tenantId: TenantId; readonly integrationId: string };
  /** Published when an integration was created, changed, started, paused or deleted. */
  "integration.changed": { readonly tenantId: TenantId; readonly integrationId: string };
  /** Published when an integration has new events, or the state of its connection changed. */
  "integration.events": { readonly tenantId: TenantId; readonly integrationId: string };
  /** Published when a tenant was deleted, with everything that belonged to it. */
  "tenant.deleted": { readonly tenantId: TenantId };
  "profile.changed": { readonly tenantId: TenantId; readonly profileId: ProfileId };
  /** Published when key metadata of a profile, or the tenant's defaults, changed. */
  "key-metadata.changed": { readonly tenantId: TenantId };
  /** Published when an alarm is raised, escalated, cleared, acknowledged or commented on, or its severity rises. */
  "alarm.changed": Alarm & { readonly event: AlarmEventType };
  /** Published when a note on the device was written, changed or deleted. */
  "note.changed": DeviceEvent;
  "command.changed": DeviceEvent & {
    readonly commandId: string;
    readonly requestId: string;
    readonly status: CommandState;
  };
  "job.finished": {
    readonly tenantId: TenantId;
    readonly jobId: string;
    readonly name: string;
    readonly runId: string;
    readonly status: RunStatus;
    /** Devices on which the job acted. */
    readonly deviceIds: readonly DeviceId[];
  };
  "attributes.changed": DeviceEvent & {
    readonly scope: AttributeScope;
    readonly values: Readonly<Record<string, JsonValue>>;
    readonly deleted: readonly string[];
  };
}
