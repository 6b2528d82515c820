import { detail, textOf } from "../../lib/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { AlarmSeverity } from "../../lib/severity.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { DomainEvents } from "../events.types.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import type { Alarm, AlarmEvent, AlarmEventType, AlarmStatus, EscalationSettings } from "./alarms.types.ts";

/** Called within the transaction: what the hook writes is stored if, and only if, the event is. */
export type AlarmEventHook = (alarm: Alarm, event: AlarmEvent, before: Alarm | undefined) => void;

const statusOf = ({ clearedAt, acknowledgedAt }: Pick<Alarm, "clearedAt" | "acknowledgedAt">): AlarmStatus =>
  `${clearedAt === null ? "ACTIVE" : "CLEARED"}_${acknowledgedAt === null ? "UNACK" : "ACK"}`;

const severityChanged = (from: AlarmSeverity, to: AlarmSeverity, message: string): Text =>
  detail("alarm_event.severity_changed", {
    from: detail(`alarm_severity.${from}`),
    to: detail(`alarm_severity.${to}`),
    message,
  });

/**
 * Creates the lifecycle of alarms: each transition with its event. Callers use it within `commit`, which publishes the changes
 * afterwards.
 */
export function createAlarmLifecycle(deps: {
  repository: AlarmsRepository;
  transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  hooks: readonly AlarmEventHook[];
  escalationOf: (tenantId: TenantId) => EscalationSettings;
  clock: Clock;
  /** Steady epoch ms. */
  now: () => number;
  events: EventBus<DomainEvents>;
}) {
  const { repository, clock, now, events } = deps;
  /** Changes that are published once they are committed. */
  let changes: Array<DomainEvents["alarm.changed"]> = [];

  function note(
    alarm: Alarm,
    event: { type: AlarmEventType; text: Text; by: string | null },
    before?: Alarm,
  ): void {
    const { alarmId, updatedAt } = alarm;
    const { type, text, by } = event;
    const noted = {
      eventId: newId<string>(),
      alarmId,
      eventType: type,
      ...textOf(text),
      by,
      createdAt: updatedAt,
    };
    repository.addEvent(noted);
    for (const hook of deps.hooks) hook(alarm, noted, before);
    changes.push({ ...alarm, event: type });
  }

  function change(
    alarm: Alarm,
    fields: Partial<Alarm>,
    event: { type: AlarmEventType; text: Text; by: string | null },
  ): Alarm {
    const changed = { ...alarm, ...fields, updatedAt: clock.now() };
    const saved = { ...changed, status: statusOf(changed) };
    repository.update(saved);
    note(saved, event, alarm);
    return saved;
  }

  /** Nothing where the tenant lets it go on. */
  const stopped = ({ tenantId }: Alarm, by: "stopOnAck" | "stopOnClear") =>
    deps.escalationOf(tenantId)[by] ? { escalationSince: null } : {};

  return {
    commit<Result>(work: () => Result extends Promise<unknown> ? never : Result): Result {
      changes = [];
      const result = deps.transact(work);
      const published = changes;
      changes = [];
      for (const changed of published) events.emit("alarm.changed", changed);
      return result;
    },
    /** A cleared one that nobody has acknowledged comes back; otherwise there is a new one. */
    raise(
      { tenantId, deviceId }: { readonly tenantId: TenantId; readonly deviceId: DeviceId },
      options: Pick<Alarm, "alarmType" | "severity" | "message" | "gatewayId">,
    ): Alarm {
      const last = repository.findNewest(deviceId, options.alarmType);
      if (last?.status === "CLEARED_UNACK")
        return change(
          last,
          { ...options, clearedAt: null, clearedBy: null, escalationLevel: 1, escalationSince: now() },
          { type: "REOPENED", text: detail("alarm_event.message", { message: options.message }), by: null },
        );
      const timeMs = clock.now();
      const alarm: Alarm = {
        ...options,
        alarmId: newId(),
        tenantId,
        deviceId,
        status: "ACTIVE_UNACK",
        createdAt: timeMs,
        updatedAt: timeMs,
        acknowledgedAt: null,
        acknowledgedBy: null,
        clearedAt: null,
        clearedBy: null,
        escalationLevel: 1,
        escalationSince: now(),
      };
      repository.insert(alarm);
      note(alarm, {
        type: "CREATED",
        text: detail("alarm_event.message", { message: options.message }),
        by: null,
      });
      return alarm;
    },
    changeSeverity: (alarm: Alarm, severity: AlarmSeverity, message: string): Alarm =>
      change(
        alarm,
        { severity, message },
        { type: "SEVERITY_CHANGED", text: severityChanged(alarm.severity, severity, message), by: null },
      ),
    /** Acknowledges the alarm; does nothing if it is acknowledged or cleared already. */
    acknowledge(alarm: Alarm, by: string): void {
      if (alarm.acknowledgedAt !== null) return;
      const text = detail("alarm_event.acknowledged", { by });
      const fields = { acknowledgedAt: clock.now(), acknowledgedBy: by };
      change(alarm, { ...fields, ...stopped(alarm, "stopOnAck") }, { type: "ACK", text, by });
    },
    clear(alarm: Alarm, by: string | null, why: Text): void {
      if (alarm.clearedAt !== null) return;
      const fields = { clearedAt: clock.now(), clearedBy: by };
      change(alarm, { ...fields, ...stopped(alarm, "stopOnClear") }, { type: "CLEARED", text: why, by });
    },
    /** `since`: when it would have come to this level; null: there is none above it. */
    escalate: (
      alarm: Alarm,
      { level, since }: { readonly level: number; readonly since: number | null },
    ): Alarm =>
      change(
        alarm,
        { escalationLevel: level, escalationSince: since },
        {
          type: "ESCALATED",
          text: detail("alarm_event.escalated", { from: alarm.escalationLevel, to: level }),
          by: null,
        },
      ),
    /** Adds a comment; `by` is `null` for the gateway itself. */
    comment: (alarm: Alarm, by: string | null, text: Text): void =>
      void change(alarm, {}, { type: "COMMENT", text, by }),
  };
}

export type AlarmLifecycle = ReturnType<typeof createAlarmLifecycle>;
