import { setImmediate } from "node:timers/promises";
import { DomainError, detail, inEnglish, textOf } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { DeviceId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import type { CommandsService } from "../commands/commands.service.ts";
import type { DomainEvents } from "../events.types.ts";
import type { OutboundService } from "../outbound/outbound.service.ts";
import type { OutboundRequest, OutboundTarget } from "../outbound/outbound.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { AlarmCommandsRepository } from "./alarm-commands.repository.ts";
import type { AlarmEventHook, AlarmLifecycle } from "./alarm-lifecycle.ts";
import type { AlarmRule } from "./alarm-rule.ts";
import type { AlarmsRepository } from "./alarms.repository.ts";
import type { Alarm, AlarmCommand, AlarmEvent } from "./alarms.types.ts";

const AT_ONCE = 20;
const RETRY_MS = 5_000;

/**
 * Returns who gives the commands of a rule: a program of the tenant that sees the one device at hand and nothing else. Whoever
 * wrote the rule may act on every device of the tenant: that was checked then.
 */
const principalOf = ({ alarmId, alarmType, tenantId }: Alarm, deviceId: DeviceId): Principal => ({
  userId: alarmId as UserId, // no user's: audit and access have nothing under it
  email: `alarm: ${alarmType}`,
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: new Set([deviceId]),
});

/**
 * Builds the request of an event. Requests of a device are sent in order. Each event has its own, with what happened and the
 * alarm as it is then.
 */
function webhookRequest(alarm: Alarm, event: AlarmEvent, target: OutboundTarget): OutboundRequest {
  const { tenantId, alarmId, deviceId, alarmType, severity, status, message, escalationLevel } = alarm;
  const { eventId, eventType, by, createdAt } = event;
  const body = JSON.stringify({
    ...{ event: eventType, eventId, at: new Date(createdAt).toISOString(), by, note: inEnglish(event) },
    ...textOf(event),
    alarm: { alarmId, deviceId, name: alarmType, severity, status, message, escalationLevel },
  });
  return { tenantId, source: { kind: "alarm", id: alarmType }, target, orderKey: deviceId, body };
}

/**
 * Sends the commands that rules ask for. They are written with the event that they follow, and given to the commands' own queue under
 * a request id of the event's: each goes out once, whatever is killed when.
 */
export function createAlarmCommander(deps: {
  commandsRepository: AlarmCommandsRepository;
  repository: Pick<AlarmsRepository, "findById">;
  ruleOf: (alarm: Alarm) => AlarmRule | undefined;
  lifecycle: Pick<AlarmLifecycle, "commit" | "comment">;
  commands: Pick<CommandsService, "create">;
  outbound: Pick<OutboundService, "enqueue">;
  clock: Clock;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { commandsRepository, log, clock } = deps;
  let isStarted = false;
  let running: Promise<void> | undefined;
  /** Whether something was written while the last round was ending. */
  let isAsked = false;
  /** Whether something may be waiting. */
  let hasWork = true;
  let cancel: () => void = () => undefined;

  const hook: AlarmEventHook = (alarm, event) => {
    const actions = deps.ruleOf(alarm)?.actions ?? [];
    for (const [index, action] of actions.entries()) {
      if (action.on !== event.eventType) continue;
      if (action.type === "webhook") {
        deps.outbound.enqueue([webhookRequest(alarm, event, action.target)]);
        continue;
      }
      const { method, params } = action;
      const deviceId = (action.deviceId ?? alarm.deviceId) as DeviceId; // looked up before it is used
      const requestId = `alarm-${event.eventId}-${index}`;
      commandsRepository.add({ alarmId: alarm.alarmId, requestId, deviceId, method, params });
      hasWork = true;
    }
  };

  async function send(command: AlarmCommand): Promise<void> {
    const { alarmId, deviceId, method, params, requestId, sequence } = command;
    const alarm = deps.repository.findById(alarmId);
    if (alarm === undefined) return;
    try {
      await deps.commands.create(principalOf(alarm, deviceId), deviceId, { method, params, requestId }, 0);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code !== "command.request_id_taken") {
        const text = detail("alarm_event.command_failed", { method: excerpt(method), reason: textOf(error) });
        const { lifecycle } = deps;
        lifecycle.commit(() => {
          commandsRepository.delete(sequence);
          lifecycle.comment(alarm, null, text);
        });
        return;
      }
    }
    commandsRepository.delete(sequence);
  }

  async function sendAll(): Promise<void> {
    await setImmediate(); // whoever raised the alarm goes on first
    while (isStarted) {
      const next = commandsRepository.listNext(AT_ONCE);
      if (next.length === 0) return;
      for (const command of next) await send(command);
      await setImmediate();
    }
  }

  function wake(): void {
    isAsked = running !== undefined;
    if (!isStarted || isAsked || !hasWork) return;
    cancel();
    hasWork = false;
    running = sendAll()
      .catch((error: unknown) => {
        log.warn("commands of alarm rules could not be sent and are retried", { error });
        hasWork = true;
        cancel = clock.schedule(RETRY_MS, wake);
      })
      .then(() => {
        running = undefined;
        if (isAsked) wake();
      });
  }

  deps.events.on("alarm.changed", wake);

  return {
    hook,
    start() {
      isStarted = true;
      wake();
    },
    async stop() {
      isStarted = false;
      cancel();
      await running;
    },
  };
}
