import { detail, forbidden, notFound } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { isAllowed } from "../identity/permissions.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import { callerName, type Principal } from "../users/users.types.ts";
import type { AlarmLifecycle } from "./alarm-lifecycle.ts";
import { createAlarmPages } from "./alarm-pages.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import {
  type Alarm,
  type AlarmEvent,
  type AlarmFilter,
  type EscalationSettings,
  escalationDefaults,
  type ListedAlarm,
  type OpenAlarms,
} from "./alarms.types.ts";

/** Alarms handled without a pause, about 20 ms of work on a small gateway. */
const HANDLED_PER_STEP = 50;
/** Alarms of a page read without a pause. */
const ALARMS_PER_SLICE = 500;

type RequestedAlarms = Omit<AlarmFilter, "deviceId"> & { readonly deviceId?: string | undefined };

/** Page of alarms that is read slice by slice. */
interface AlarmPage {
  /** Number of alarms on all pages. */
  readonly total: number;
  /** Number of alarms on this page; fewer if some are deleted while it is read. */
  readonly count: number;
  readonly slices: Iterable<readonly ListedAlarm[]>;
}

function* slicesOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let begin = 0; begin < items.length; begin += size) yield items.slice(begin, begin + size);
}

const noSuchAlarm = () => notFound("alarm.not_found");

/** Creates the functions that list alarms, most recently raised first. */
export function createAlarmLists({
  repository,
  devices,
}: {
  repository: Pick<AlarmsRepository, "sift" | "listIndexed" | "listBySequence">;
  devices: Pick<DevicesService, "ensureVisible">;
}) {
  function visibleFilter(principal: Principal, { deviceId, ...rest }: RequestedAlarms): AlarmFilter {
    const visible = deviceId === undefined ? undefined : devices.ensureVisible(principal, deviceId);
    return { ...rest, deviceId: visible };
  }

  function* listedOf(sequences: readonly number[]): Generator<ListedAlarm[]> {
    for (const slice of slicesOf(sequences, ALARMS_PER_SLICE)) yield repository.listBySequence(slice);
  }

  const find = createAlarmPages(repository);
  return {
    async page(principal: Principal, filter: RequestedAlarms, signal?: AbortSignal): Promise<AlarmPage> {
      const { sequences, total } = await find(principal, visibleFilter(principal, filter), signal);
      return { total, count: sequences.length, slices: listedOf(sequences) };
    },
  };
}

/** Creates the service through which users see and handle alarms. Alarms of devices that the caller may not see yield `not_found`. */
export function createAlarmsService(deps: {
  repository: AlarmsRepository;
  lifecycle: AlarmLifecycle;
  devices: Pick<DevicesService, "ensureVisible">;
  onEscalationChanged: (tenantId: TenantId) => void;
}) {
  const { repository, lifecycle } = deps;

  function get({ tenantId, devices }: Principal, alarmId: string): ListedAlarm {
    const alarm = repository.find(tenantId, alarmId);
    if (alarm === undefined || (devices !== "all" && !devices.has(alarm.deviceId))) throw noSuchAlarm();
    return alarm;
  }

  function ensureMayHandle(principal: Principal): void {
    if (!isAllowed(principal, "alarms:handle")) throw forbidden("alarm.handling");
  }

  /** Returns the current alarms in the order of their ids. */
  function readAll({ tenantId, devices }: Principal, alarmIds: readonly string[]): Alarm[] {
    const found = new Map(repository.findMany(tenantId, alarmIds).map((alarm) => [alarm.alarmId, alarm]));
    return alarmIds.flatMap((alarmId) => {
      const alarm = found.get(alarmId);
      return alarm !== undefined && (devices === "all" || devices.has(alarm.deviceId)) ? alarm : [];
    });
  }

  async function handle(
    principal: Principal,
    alarmIds: readonly string[],
    change: (alarm: Alarm) => void,
  ): Promise<void> {
    const ids = [...new Set(alarmIds)];
    for (const slice of slicesOf(ids, ALARMS_PER_SLICE)) {
      await workShare.pause();
      if (readAll(principal, slice).length < slice.length) throw noSuchAlarm();
    }
    ensureMayHandle(principal);
    for (const slice of slicesOf(ids, HANDLED_PER_STEP)) {
      await workShare.pause();
      // Read again: a rule may have changed them while other work ran.
      const alarms = readAll(principal, slice);
      lifecycle.commit(() => {
        for (const alarm of alarms) change(alarm);
      });
    }
  }

  return {
    ...createAlarmLists(deps),
    /** Returns the visible devices with open alarms, unordered. */
    listOpenByDevice: ({ tenantId, devices }: Principal): OpenAlarms[] =>
      repository.listOpenByDevice(tenantId, devices),
    get,
    /** Returns the devices of the alarms that fit into an entry of the audit log. */
    deviceIdsOf: (principal: Principal, alarmIds: readonly string[]): DeviceId[] => [
      ...new Set(readAll(principal, alarmIds.slice(0, ALARMS_PER_SLICE)).map(({ deviceId }) => deviceId)),
    ],
    /** Lists events, oldest first. */
    listEvents: (principal: Principal, alarmId: string): AlarmEvent[] =>
      repository.listEvents(get(principal, alarmId).alarmId),
    /**
     * Changes all alarms, or none if one does not exist. Alarms already acknowledged (or cleared) stay unchanged. Large numbers are handled in
     * slices, so that other work runs in between.
     */
    acknowledge: (principal: Principal, alarmIds: readonly string[]): Promise<void> =>
      handle(principal, alarmIds, (alarm) => lifecycle.acknowledge(alarm, callerName(principal))),
    clear(principal: Principal, alarmIds: readonly string[]): Promise<void> {
      const by = callerName(principal);
      return handle(principal, alarmIds, (alarm) =>
        lifecycle.clear(alarm, by, detail("alarm_event.cleared", { by })),
      );
    },
    comment(principal: Principal, alarmIds: readonly string[], text: string): Promise<void> {
      const by = callerName(principal);
      return handle(principal, alarmIds, (alarm) =>
        lifecycle.comment(alarm, by, detail("alarm_event.message", { message: text })),
      );
    },
    escalation: ({ tenantId }: Principal): EscalationSettings =>
      repository.escalation(tenantId) ?? escalationDefaults,
    saveEscalation(principal: Principal, settings: EscalationSettings): EscalationSettings {
      ensureAllDevices(principal, detail("action.change_when_alarms_rise"));
      const { tenantId } = principal;
      repository.saveEscalation(tenantId, settings);
      deps.onEscalationChanged(tenantId);
      return settings;
    },
  };
}

export type AlarmsService = ReturnType<typeof createAlarmsService>;
