import { forbidden, notFound } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { AlarmLife } from "./alarm-life.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import {
  type AlarmEvent,
  type AlarmFilter,
  type EscalationSettings,
  escalationDefaults,
  type ListedAlarm,
} from "./alarms.types.ts";

/** Alarms as people see and handle them. One of a device that the caller may not see does not exist for the caller. */
export interface AlarmsService {
  /** The newest first. */
  list(
    principal: Principal,
    filter: Omit<AlarmFilter, "deviceId"> & { readonly deviceId?: string | undefined },
  ): { items: ListedAlarm[]; total: number };
  get(principal: Principal, alarmId: string): ListedAlarm;
  /** The oldest first. */
  listEvents(principal: Principal, alarmId: string): AlarmEvent[];
  /** All or none. What is acknowledged, or cleared, already stays as it is. */
  acknowledge(principal: Principal, alarmIds: readonly string[]): void;
  clear(principal: Principal, alarmIds: readonly string[]): void;
  comment(principal: Principal, alarmId: string, text: string): void;
  escalation(principal: Principal): EscalationSettings;
  saveEscalation(principal: Principal, settings: EscalationSettings): EscalationSettings;
}

export function createAlarmsService(deps: {
  repository: AlarmsRepository;
  life: AlarmLife;
  devices: Pick<DevicesService, "ensureVisible">;
  onEscalationChanged: (tenantId: TenantId) => void;
}): AlarmsService {
  const { repository, life } = deps;

  function get({ tenantId, devices }: Principal, alarmId: string): ListedAlarm {
    const alarm = repository.find(tenantId, alarmId);
    if (alarm === undefined || (devices !== "all" && !devices.has(alarm.deviceId)))
      throw notFound("alarm.not_found", "There is no such alarm.");
    return alarm;
  }

  const isAdministrator = ({ role }: Principal) => role === "TENANT_OWNER" || role === "TENANT_ADMIN";
  const nameOf = ({ email, apiKey, impersonator }: Principal) =>
    apiKey?.name ?? (impersonator ? `${email} (${impersonator.email})` : email);

  /** The alarms, once it is sure that the caller may see all of them and act on them. */
  function handled(principal: Principal, alarmIds: readonly string[]): ListedAlarm[] {
    const found = [...new Set(alarmIds)].map((alarmId) => get(principal, alarmId));
    if (!isAdministrator(principal) && !principal.canAcknowledgeAlarms)
      throw forbidden("alarm.handling", "You may not acknowledge or clear alarms.");
    return found;
  }

  return {
    list(principal, filter) {
      const { deviceId, ...rest } = filter;
      const visible = deviceId === undefined ? undefined : deps.devices.ensureVisible(principal, deviceId);
      return repository.list(principal.tenantId, principal.devices, { ...rest, deviceId: visible });
    },
    get,
    listEvents: (principal, alarmId) => repository.listEvents(get(principal, alarmId).alarmId),
    acknowledge(principal, alarmIds) {
      const found = handled(principal, alarmIds);
      life.commit(() => {
        for (const alarm of found) life.acknowledge(alarm, nameOf(principal));
      });
    },
    clear(principal, alarmIds) {
      const found = handled(principal, alarmIds);
      const by = nameOf(principal);
      life.commit(() => {
        for (const alarm of found) life.clear(alarm, by, `Cleared by ${by}`);
      });
    },
    comment(principal, alarmId, text) {
      const found = handled(principal, [alarmId]);
      life.commit(() => {
        for (const alarm of found) life.comment(alarm, nameOf(principal), text);
      });
    },
    escalation: ({ tenantId }) => repository.escalation(tenantId) ?? escalationDefaults,
    saveEscalation({ tenantId }, settings) {
      repository.saveEscalation(tenantId, settings);
      deps.onEscalationChanged(tenantId);
      return settings;
    },
  };
}
