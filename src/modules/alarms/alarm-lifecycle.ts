import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import { detail, toText } from "../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import type { Alarm, AlarmEvent, AlarmEventType, AlarmStatus, EscalationSettings } from "./alarms.types.ts";
import type { AlarmTime } from "./engine/alarm-time.ts";

/** Called within the transaction; writes of the hook are stored if and only if the event is. */
export type AlarmEventHook = (alarm: Alarm, event: AlarmEvent, before: Alarm | undefined) => void;

const statusOf = ({ clearedAt, acknowledgedAt }: Pick<Alarm, "clearedAt" | "acknowledgedAt">): AlarmStatus =>
  `${clearedAt === null ? "ACTIVE" : "CLEARED"}_${acknowledgedAt === null ? "UNACK" : "ACK"}`;

const severityChanged = (from: AlarmSeverity, to: AlarmSeverity, message: string): Text =>
  detail("alarm_event.severity_changed", {
    from: detail(`alarm_severity.${from}`),
    to: detail(`alarm_severity.${to}`),
    message,
  });

/** Device of an alarm, with the profile whose rule raises it. */
interface AlarmDevice {
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
  readonly profileId: ProfileId;
}

/** Entry in the history of an alarm; `by` is `null` for the gateway itself. */
interface Noted {
  readonly type: AlarmEventType;
  readonly text: Text;
  readonly by: string | null;
}

interface AlarmLifecycleDeps {
  readonly repository: AlarmsRepository;
  readonly transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  readonly hooks: readonly AlarmEventHook[];
  readonly escalationOf: (tenantId: TenantId) => EscalationSettings;
  readonly clock: Clock;
  readonly time: Pick<AlarmTime, "now">;
  readonly events: EventBus<DomainEvents>;
}

/** Lifecycle of alarms: each transition with its event. Transitions run within `commit`, which publishes them afterwards. */
export class AlarmLifecycle {
  /** Changes to publish after the commit. */
  #changes: Array<DomainEvents["alarm.changed"]> = [];

  readonly #deps: AlarmLifecycleDeps;

  constructor(deps: AlarmLifecycleDeps) {
    this.#deps = deps;
  }

  /** Runs `work` in a transaction and then publishes its transitions. */
  commit<Result>(work: () => Result extends Promise<unknown> ? never : Result): Result {
    this.#changes = [];
    const result = this.#deps.transact(work);
    const published = this.#changes;
    this.#changes = [];
    for (const changed of published) this.#deps.events.emit("alarm.changed", changed);
    return result;
  }

  /** Reopens the newest alarm of the type if it is cleared and unacknowledged; otherwise creates one. */
  raise(
    device: AlarmDevice,
    options: Pick<Alarm, "alarmType" | "severity" | "message" | "messageParts" | "gatewayId">,
  ): Alarm {
    const text = detail("alarm_event.message", { message: options.message });
    const last = this.#deps.repository.findNewest(device.deviceId, options.alarmType);
    if (last?.status !== "CLEARED_UNACK") return this.#create(device, options, text);
    this.#deps.repository.moveToFront(last.alarmId);
    return this.#change(
      last,
      {
        ...options,
        profileId: device.profileId,
        raisedAt: this.#deps.clock.now(),
        raiseCount: last.raiseCount + 1,
        clearedAt: null,
        clearedBy: null,
        escalationLevel: 1,
        escalationSince: this.#deps.time.now(),
      },
      { type: "REOPENED", text, by: null },
    );
  }

  changeSeverity(alarm: Alarm, changes: Pick<Alarm, "severity" | "message" | "messageParts">): Alarm {
    const text = severityChanged(alarm.severity, changes.severity, changes.message);
    return this.#change(alarm, changes, { type: "SEVERITY_CHANGED", text, by: null });
  }

  /** Acknowledges the alarm; does nothing if it is already acknowledged. */
  acknowledge(alarm: Alarm, by: string): void {
    if (alarm.acknowledgedAt !== null) return;
    const text = detail("alarm_event.acknowledged", { by });
    const fields = { acknowledgedAt: this.#deps.clock.now(), acknowledgedBy: by };
    this.#change(
      alarm,
      { ...fields, ...this.#escalationAfter(alarm, "stopOnAck") },
      { type: "ACK", text, by },
    );
  }

  /** Clears the alarm; does nothing if it is already cleared. */
  clear(alarm: Alarm, by: string | null, text: Text): void {
    if (alarm.clearedAt !== null) return;
    const fields = { clearedAt: this.#deps.clock.now(), clearedBy: by };
    const escalation = this.#escalationAfter(alarm, "stopOnClear");
    this.#change(alarm, { ...fields, ...escalation }, { type: "CLEARED", text, by });
  }

  /** Raises the escalation level. `since`: time at which the alarm reached the level; `null` if there is no higher level. */
  escalate(alarm: Alarm, { level, since }: { readonly level: number; readonly since: number | null }): Alarm {
    const text = detail("alarm_event.escalated", { from: alarm.escalationLevel, to: level });
    const fields = { escalationLevel: level, escalationSince: since };
    return this.#change(alarm, fields, { type: "ESCALATED", text, by: null });
  }

  /** Adds a comment; `by` is `null` for the gateway itself. */
  comment(alarm: Alarm, by: string | null, text: Text): void {
    this.#change(alarm, {}, { type: "COMMENT", text, by });
  }

  /** Adds the notified recipients to the alarm's history. Unlike other events, this event calls no hook and changes nothing. */
  noteNotified(alarm: Pick<Alarm, "alarmId" | "tenantId" | "deviceId">, text: Text): void {
    const { repository, clock } = this.#deps;
    const { alarmId } = alarm;
    const event = { eventId: newId<string>(), alarmId, eventType: "NOTIFIED", by: null } as const;
    repository.addEvent({ ...event, ...toText(text), createdAt: clock.now() }, alarm);
  }

  #create(
    { tenantId, deviceId, profileId }: AlarmDevice,
    options: Pick<Alarm, "alarmType" | "severity" | "message" | "messageParts" | "gatewayId">,
    text: Text,
  ): Alarm {
    const timeMs = this.#deps.clock.now();
    const alarm: Alarm = {
      ...options,
      alarmId: newId(),
      tenantId,
      deviceId,
      profileId,
      status: "ACTIVE_UNACK",
      createdAt: timeMs,
      raisedAt: timeMs,
      raiseCount: 1,
      updatedAt: timeMs,
      acknowledgedAt: null,
      acknowledgedBy: null,
      clearedAt: null,
      clearedBy: null,
      escalationLevel: 1,
      escalationSince: this.#deps.time.now(),
    };
    this.#deps.repository.insert(alarm);
    this.#note(alarm, { type: "CREATED", text, by: null });
    return alarm;
  }

  #change(alarm: Alarm, fields: Partial<Alarm>, event: Noted): Alarm {
    const changed = { ...alarm, ...fields, updatedAt: this.#deps.clock.now() };
    const saved = { ...changed, status: statusOf(changed) };
    this.#deps.repository.update(saved);
    this.#note(saved, event, alarm);
    return saved;
  }

  #note(alarm: Alarm, { type, text, by }: Noted, before?: Alarm): void {
    const { alarmId, updatedAt } = alarm;
    const noted = {
      eventId: newId<string>(),
      alarmId,
      eventType: type,
      ...toText(text),
      by,
      createdAt: updatedAt,
    };
    this.#deps.repository.addEvent(noted, alarm);
    for (const hook of this.#deps.hooks) hook(alarm, noted, before);
    this.#changes.push({ ...alarm, event: type });
  }

  /** Returns the fields that end the escalation; none if the tenant lets it continue. */
  #escalationAfter({ tenantId }: Alarm, by: "stopOnAck" | "stopOnClear"): Partial<Alarm> {
    return this.#deps.escalationOf(tenantId)[by] ? { escalationSince: null } : {};
  }
}
