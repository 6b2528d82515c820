import { setImmediate } from "node:timers/promises";
import { DomainError, detail, inEnglish, toText } from "../../../lib/core/domain-error.ts";
import type { DeviceId, UserId } from "../../../lib/core/ids.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import { iso } from "../../../lib/time/iso-time.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { CommandsService } from "../../commands/commands.service.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { OutboundService } from "../../outbound/outbound.service.ts";
import type { OutboundRequest, OutboundTarget } from "../../outbound/outbound.types.ts";
import type { Principal } from "../../users/users.types.ts";
import type { AlarmLifecycle } from "../alarm-lifecycle.ts";
import type { AlarmsRepository } from "../alarms.repository.ts";
import type { Alarm, AlarmCommand, AlarmEvent } from "../alarms.types.ts";
import type { AlarmRule } from "../rules/alarm-rule.ts";
import type { AlarmAction } from "./alarm-actions.ts";
import type { AlarmCommandsRepository } from "./alarm-commands.repository.ts";

const COMMANDS_PER_STEP = 20;
const RETRY_MS = 5_000;

/**
 * Returns the principal for the commands of a rule: a program of the tenant that sees only this device. The author of the rule may act on every
 * device of the tenant, which was checked when the rule was saved.
 */
const principalOf = ({ alarmId, alarmType, tenantId }: Alarm, deviceId: DeviceId): Principal => ({
  userId: alarmId as UserId, // not a user: unknown to audit log and access control
  email: `alarm: ${alarmType}`,
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: new Set([deviceId]),
});

/** Builds the webhook request of an event, with the event and the alarm at that time. Requests of a device are sent in order. */
function webhookRequest(alarm: Alarm, event: AlarmEvent, target: OutboundTarget): OutboundRequest {
  const { tenantId, alarmId, deviceId, alarmType, severity, status, message, escalationLevel } = alarm;
  const { eventId, eventType, by, createdAt } = event;
  const body = JSON.stringify({
    event: eventType,
    eventId,
    at: iso(createdAt),
    by,
    note: inEnglish(event),
    ...toText(event),
    alarm: { alarmId, deviceId, name: alarmType, severity, status, message, escalationLevel },
  });
  return { tenantId, source: { kind: "alarm", id: alarmType }, target, orderKey: deviceId, body };
}

type CommandAction = Extract<AlarmAction, { type: "command" }>;

interface AlarmCommanderDeps {
  readonly commandsRepository: AlarmCommandsRepository;
  readonly repository: Pick<AlarmsRepository, "findById">;
  readonly ruleOf: (alarm: Alarm) => AlarmRule | undefined;
  readonly lifecycle: Pick<AlarmLifecycle, "commit" | "comment">;
  readonly commands: Pick<CommandsService, "create">;
  readonly outbound: Pick<OutboundService, "enqueue">;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/**
 * Sends the commands of rules. They are written together with their event, and added to the command queue under a request id derived from the event,
 * so that each is sent once even after a crash.
 */
export class AlarmCommander {
  #isStarted = false;
  #running: Promise<void> | undefined;
  /** True if commands were written while the last round was ending. */
  #isAsked = false;
  /** True if commands may be waiting. */
  #hasWork = true;
  #cancel: () => void = () => undefined;

  readonly #deps: AlarmCommanderDeps;

  constructor(deps: AlarmCommanderDeps) {
    this.#deps = deps;
  }

  /** Subscribes to the transitions of alarms. The module calls it once, before anything is started. */
  subscribe(): void {
    this.#deps.events.on("alarm.changed", () => this.#wake());
  }

  start(): void {
    this.#isStarted = true;
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#cancel();
    await this.#running;
  }

  /** Writes the commands that follow an event and queues its webhooks, in the transaction that writes the event. */
  hook(alarm: Alarm, event: AlarmEvent): void {
    const { ruleOf, outbound } = this.#deps;
    for (const [index, action] of (ruleOf(alarm)?.actions ?? []).entries()) {
      if (action.on !== event.eventType) continue;
      if (action.type === "webhook") outbound.enqueue([webhookRequest(alarm, event, action.target)]);
      else this.#add(alarm, action, `alarm-${event.eventId}-${index}`);
    }
  }

  #add(alarm: Alarm, { deviceId, method, params }: CommandAction, requestId: string): void {
    this.#deps.commandsRepository.add({
      alarmId: alarm.alarmId,
      requestId,
      deviceId: (deviceId ?? alarm.deviceId) as DeviceId, // looked up before it is used
      method,
      params,
    });
    this.#hasWork = true;
  }

  async #send(command: AlarmCommand): Promise<void> {
    const { alarmId, deviceId, method, params, requestId, sequence } = command;
    const { repository, commandsRepository, commands, lifecycle } = this.#deps;
    const alarm = repository.findById(alarmId);
    if (alarm === undefined) return;
    try {
      await commands.create(principalOf(alarm, deviceId), deviceId, { method, params, requestId }, 0);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code !== "command.request_id_taken") {
        const text = detail("alarm_event.command_failed", { method: excerpt(method), reason: toText(error) });
        lifecycle.commit(() => {
          commandsRepository.delete(sequence);
          lifecycle.comment(alarm, null, text);
        });
        return;
      }
    }
    commandsRepository.delete(sequence);
  }

  async #sendAll(): Promise<void> {
    await setImmediate(); // the caller that raised the alarm continues first
    while (this.#isStarted) {
      const next = this.#deps.commandsRepository.listNext(COMMANDS_PER_STEP);
      if (next.length === 0) return;
      for (const command of next) await this.#send(command);
      await setImmediate();
    }
  }

  #wake(): void {
    this.#isAsked = this.#running !== undefined;
    if (!this.#isStarted || this.#isAsked || !this.#hasWork) return;
    this.#cancel();
    this.#hasWork = false;
    this.#running = this.#sendAll()
      .catch((error: unknown) => {
        this.#deps.log.warn("commands of alarm rules could not be sent and are retried", { error });
        this.#hasWork = true;
        this.#cancel = this.#deps.clock.schedule(RETRY_MS, () => this.#wake());
      })
      .then(() => {
        this.#running = undefined;
        if (this.#isAsked) this.#wake();
      });
  }
}
