import type { DeviceId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { Logger } from "../../platform/log.ts";
import { Waiters } from "../../platform/waiters.ts";
import type { DomainEvents } from "../events.types.ts";
import { failureIn, isFinal, longestWait } from "./command-outcome.ts";
import type { CommandsRepository } from "./commands.repository.ts";
import type { Command, CommandChanges, CommandRelay, CommandTransport } from "./commands.types.ts";
import { RelayedCommands } from "./relayed-commands.ts";

const DUE_AT_ONCE = 200;
/** Commands of one device that have not reached it. */
export const QUEUED_MAX = 1_000;
/** Time for which finished commands are kept. */
const KEPT_MS = 90 * 86_400_000;
const CLEAN_EVERY_MS = 3_600_000;
const CLEAN_AT_ONCE = 1_000;
const TIMER_MS_MAX = 0x7fffffff;

/** Takes commands through their life; every step is in the database before it is seen. */
export function createCommandEngine(deps: {
  repository: CommandsRepository;
  transport: CommandTransport;
  relay: CommandRelay;
  clock: Clock;
  /** Epoch ms that never jump. */
  now: () => number;
  events: EventBus<DomainEvents>;
  log: Logger;
}) {
  const { repository, transport, relay, clock, now, events, log } = deps;
  /** Devices with commands that are not delivered: a connection of any other costs no look into the database. */
  const open = new Map<DeviceId, Set<number>>();
  const relayed = new RelayedCommands();
  /** Devices that ask for their next command. */
  const polls = new Waiters<DeviceId, Command>(clock);
  /** People who wait for the end of a command, by its id. */
  const ends = new Waiters<string, Command>(clock);
  let cancelTimer: () => void = () => undefined;
  let timerAt = Number.POSITIVE_INFINITY;
  let cancelCleaning: () => void = () => undefined;
  let running = false;

  function track({ deviceId, rpcId, status }: Command): void {
    const existing = open.get(deviceId);
    if (status === "QUEUED" || status === "SENT") {
      if (existing === undefined) open.set(deviceId, new Set([rpcId]));
      else existing.add(rpcId);
    } else if (existing?.delete(rpcId) === true && existing.size === 0) open.delete(deviceId);
  }

  function announce({ tenantId, deviceId, commandId, requestId, status }: Command): void {
    events.emit("command.changed", { tenantId, deviceId, commandId, requestId, status });
  }

  /** No longer in progress: its gateway may have room again, for others. */
  function settled(rpcId: number): void {
    const roomy = relayed.remove(rpcId);
    // Later: whoever changes commands now may be walking through a list of them.
    if (roomy !== undefined) queueMicrotask(() => gatewayListening(roomy));
  }

  function change(command: Command, changes: CommandChanges): Command {
    const changed = { ...command, ...changes };
    repository.save(changed);
    track(changed);
    if (changed.dueAt !== null) arm(changed.dueAt);
    if (changed.status !== "SENT") settled(changed.rpcId);
    announce(changed);
    if (isFinal(changed)) ends.resolveAll(changed.commandId, changed);
    return changed;
  }

  /** Marks a command as sent. A command that somebody keeps for the device is repeated by them. */
  function sent(command: Command, isKept = false): Command {
    const attempts = Math.max(command.attempts, isKept ? command.retries : 0) + 1;
    const waitMs = attempts > command.retries ? command.timeoutMs : command.retryIntervalMs;
    const dueAt = Math.max(now() + waitMs, isKept ? command.expiresAt : 0);
    return change(command, { status: "SENT", attempts, sentAt: now(), dueAt });
  }

  function sendByGateway(command: Command): boolean {
    const gatewayId = relay.gatewayOf(command.deviceId);
    if (gatewayId === undefined || !relayed.hasRoom(gatewayId) || !relay.send(command)) return false;
    relayed.add(command.rpcId, gatewayId);
    return true;
  }

  /** Hands a queued command to the device where it is there, by whatever way. */
  function dispatch(command: Command): Command {
    const taken = transport.send(command);
    if (taken !== false || sendByGateway(command)) return sent(command, taken === "kept");
    const waiting = polls.first(command.deviceId);
    if (waiting === undefined) return command;
    const handed = sent(command);
    waiting(handed);
    return handed;
  }

  const requeue = (command: Command) => change(command, { status: "QUEUED", dueAt: command.expiresAt });

  const finish = (command: Command, status: "TIMEOUT" | "EXPIRED", error: string) =>
    change(command, { status, error, finishedAt: now(), dueAt: null });

  /** Ends the wait for a command for which nothing happened in time. */
  function overdue(command: Command): void {
    const { status, attempts, retries, timeoutMs } = command;
    if (status === "QUEUED") {
      if (attempts === 0) finish(command, "EXPIRED", "the device was not there in time");
      else finish(command, "TIMEOUT", "the device has not answered");
    } else if (status === "SENT" && attempts <= retries) dispatch(requeue(command));
    else finish(command, "TIMEOUT", `no answer within ${timeoutMs} ms`);
  }

  function listening(deviceId: DeviceId): void {
    if (!open.has(deviceId)) return;
    for (const command of repository.listIn(deviceId, "QUEUED", QUEUED_MAX)) dispatch(command);
  }

  function gatewayListening(gatewayId: DeviceId): void {
    if (!running) return;
    for (const deviceId of [...open.keys()]) if (relay.gatewayOf(deviceId) === gatewayId) listening(deviceId);
  }

  /** Sends commands again whose message may have been lost with a connection. */
  function requeueAll(rpcIds: Iterable<number>): void {
    for (const rpcId of rpcIds) {
      const command = repository.findByRpcId(rpcId);
      if (command?.status === "SENT") requeue(command);
    }
  }

  function arm(timeMs: number): void {
    if (!running || timeMs >= timerAt) return;
    cancelTimer();
    timerAt = timeMs;
    cancelTimer = clock.schedule(Math.min(Math.max(timeMs - now(), 0), TIMER_MS_MAX), onTimer);
  }

  function onTimer(): void {
    timerAt = Number.POSITIVE_INFINITY;
    try {
      for (const command of repository.listDue(now(), DUE_AT_ONCE)) overdue(command);
    } catch (error) {
      log.error("due commands could not be read", { error });
      arm(now() + CLEAN_EVERY_MS / 60);
      return;
    }
    const next = repository.nextDueAt();
    if (next !== undefined) arm(next);
  }

  function clean(): void {
    try {
      const deleted = repository.deleteFinished(now() - KEPT_MS, CLEAN_AT_ONCE);
      cancelCleaning = clock.schedule(deleted === CLEAN_AT_ONCE ? 1_000 : CLEAN_EVERY_MS, clean);
    } catch (error) {
      log.error("old commands could not be deleted", { error });
      cancelCleaning = clock.schedule(CLEAN_EVERY_MS, clean);
    }
  }

  const ofDevice = (deviceId: DeviceId, rpcId: number) => {
    const command = repository.findByRpcId(rpcId);
    return command?.deviceId === deviceId ? command : undefined;
  };

  /** A second answer changes nothing; a late one still counts. */
  function settle(command: Command, answer: JsonValue): void {
    if (command.status === "SUCCESSFUL" || command.status === "FAILED") return;
    const failure = failureIn(answer);
    const timeMs = now();
    change(command, {
      status: failure === undefined ? "SUCCESSFUL" : "FAILED",
      deliveredAt: command.deliveredAt ?? timeMs,
      finishedAt: timeMs,
      dueAt: null,
      response: answer,
      error: failure ?? null,
    });
  }

  events.on("device.deleted", ({ deviceId }) => {
    for (const rpcId of open.get(deviceId) ?? []) settled(rpcId);
    open.delete(deviceId);
    polls.resolveAll(deviceId, undefined);
  });

  events.on("device.updated", ({ deviceId }) => {
    const rpcIds = open.get(deviceId);
    if (rpcIds === undefined) return;
    // It may have another gateway now, or none.
    const gatewayId = relay.gatewayOf(deviceId);
    requeueAll([...rpcIds].filter((rpcId) => (relayed.gatewayOf(rpcId) ?? gatewayId) !== gatewayId));
    listening(deviceId);
  });

  return {
    start(): void {
      running = true;
      // What was in progress when the gateway stopped: a session of the device's own still has it, or it goes out again.
      for (const command of repository.listAllIn("SENT")) {
        track(command);
        if (transport.keepsFor(command.deviceId)) continue;
        const gatewayId = relay.gatewayOf(command.deviceId);
        if (gatewayId !== undefined && relay.keepsFor(gatewayId)) relayed.add(command.rpcId, gatewayId);
        else requeue(command);
      }
      for (const command of repository.listAllIn("QUEUED")) {
        track(command);
        dispatch(command);
      }
      // A clock that was set back must not make anybody wait for ever.
      for (const command of repository.listAllIn("DELIVERED")) {
        const latest = now() + longestWait(command, transport.keepsFor(command.deviceId));
        if ((command.dueAt ?? 0) > latest) repository.save({ ...command, dueAt: latest });
      }
      onTimer();
      clean();
    },
    stop(): void {
      running = false;
      cancelTimer();
      cancelCleaning();
      polls.endAll();
      ends.endAll();
    },
    /** A new one: goes out at once when its device is there. */
    submitted(command: Command): Command {
      track(command);
      announce(command);
      arm(command.dueAt ?? command.expiresAt);
      return dispatch(command);
    },
    /** The device listens now. */
    listening,
    /** A gateway listens now, for its children. */
    gatewayListening,
    /** Retries commands that had no connection: there may be one now. */
    wayOpened: (): void => [...open.keys()].forEach(listening),
    /** The device's connection has ended. */
    left(deviceId: DeviceId): void {
      if (!open.has(deviceId) || transport.keepsFor(deviceId)) return;
      for (const command of repository.listIn(deviceId, "SENT", QUEUED_MAX))
        if (relayed.gatewayOf(command.rpcId) === undefined) requeue(command);
    },
    gatewayLeft(gatewayId: DeviceId): void {
      if (!relay.keepsFor(gatewayId)) requeueAll(relayed.of(gatewayId));
    },
    /** Returns whose command it is. */
    deviceOf: (rpcId: number): DeviceId | undefined => repository.findByRpcId(rpcId)?.deviceId,
    /** The device has the message; or, where it is kept for it, the message is on its way. */
    delivered(deviceId: DeviceId, rpcId: number, isKept: boolean = false): void {
      const command = ofDevice(deviceId, rpcId);
      if (command?.status !== "SENT") return;
      const timeMs = now();
      const dueAt = Math.max(timeMs + command.timeoutMs, isKept ? command.expiresAt : 0);
      change(command, { status: "DELIVERED", deliveredAt: timeMs, dueAt });
    },
    /** Returns what the device says to a command; false when it was never sent such a command. */
    answered(deviceId: DeviceId, rpcId: number, answer: JsonValue): boolean {
      const command = ofDevice(deviceId, rpcId);
      if (command === undefined || command.attempts === 0) return false;
      settle(command, answer);
      return true;
    },
    /** Answers in place of the device, whether or not the command was sent. */
    played: settle,
    /** Returns the oldest waiting command for a device that asks, as soon as there is one; `undefined` after `ms`. */
    async next(deviceId: DeviceId, ms: number, signal: AbortSignal): Promise<Command | undefined> {
      const [waiting] = open.has(deviceId) ? repository.listIn(deviceId, "QUEUED", 1) : [];
      return waiting === undefined ? polls.wait(deviceId, ms, signal) : sent(waiting);
    },
    /** Resolves when the command is finished, or after `ms`. */
    async finished(command: Command, ms: number): Promise<Command> {
      if (isFinal(command)) return command;
      return (await ends.wait(command.commandId, ms)) ?? repository.find(command.commandId) ?? command;
    },
  };
}

export type CommandEngine = ReturnType<typeof createCommandEngine>;
