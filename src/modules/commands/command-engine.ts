import { detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { Growth } from "../../lib/data/growth.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import type { Logger } from "../../platform/core/log.ts";
import { DeviceRounds } from "../../platform/load/device-rounds.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { Waiters } from "../../platform/time/waiters.ts";
import type { DomainEvents } from "../events.types.ts";
import type { CommandsRepository } from "./commands.repository.ts";
import {
  type Command,
  type CommandChanges,
  CommandFailure,
  type CommandRelay,
  type CommandResponse,
  type CommandTransport,
  type NewCommand,
} from "./commands.types.ts";
import { bytesOf, COMMAND_BYTES, OpenCommands, SPACE_BYTES } from "./open-commands.ts";
import { RelayedCommands } from "./relayed-commands.ts";

/** Returns whether the command is finished. */
const isFinal = ({ status }: Command): boolean =>
  status === "SUCCESSFUL" || status === "FAILED" || status === "TIMEOUT" || status === "EXPIRED";

/** Returns the time in ms that a device has for a sent command; if the message is kept for the device, the command's remaining life. */
const longestWait = ({ timeoutMs, expiresAt, createdAt }: Command, isKept: boolean): number =>
  isKept ? Math.max(timeoutMs, expiresAt - createdAt) : timeoutMs;

const said = (message: string): Text => detail("command_error.device", { message });

/** Returns why the command failed; undefined if it succeeded. */
function failureIn(response: CommandResponse): Text | undefined {
  if (response instanceof CommandFailure) return response.reason;
  if (!isJsonObject(response)) return undefined;
  const { error, success, message } = response;
  if (error !== undefined && error !== null && error !== false)
    return said(typeof error === "string" ? error : JSON.stringify(error));
  if (success !== false) return undefined;
  return typeof message === "string" ? said(message) : detail("command_error.reported");
}

function outcomeOf(response: CommandResponse) {
  const error = failureIn(response) ?? null;
  const status = error === null ? ("SUCCESSFUL" as const) : ("FAILED" as const);
  return { status, error, response: response instanceof CommandFailure ? response.response : response };
}

/** Returns the outcome of a command that timed out. */
function overdueOutcome({ status, attempts, timeoutMs }: Command) {
  if (status !== "QUEUED")
    return {
      status: "TIMEOUT" as const,
      error: detail("command_error.no_response_within", { ms: timeoutMs }),
    };
  if (attempts > 0) return { status: "TIMEOUT" as const, error: detail("command_error.no_response") };
  return { status: "EXPIRED" as const, error: detail("command_error.absent") };
}

const DUE_PER_STEP = 200;
/** Max. commands waiting for one device. */
const QUEUED_MAX = 1_000;
/** Commands per read of a device's queue; increases while they can be sent. */
const READ_PER_STEP = [1, 10, 100, QUEUED_MAX];
/** Time for which finished commands are kept. */
const KEPT_MS = 90 * 86_400_000;
const CLEAN_EVERY_MS = 3_600_000;
const DELETED_PER_STEP = 1_000;
const TIMER_MS_MAX = 0x7fffffff;

interface CommandEngineDeps {
  readonly repository: CommandsRepository;
  readonly transport: CommandTransport;
  readonly relay: CommandRelay;
  readonly clock: Clock;
  /** Returns monotonic epoch ms. */
  readonly now: () => number;
  /** Returns the time against which the age of finished commands is measured, in epoch ms. */
  readonly retentionTime: () => number;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/**
 * Runs the lifecycle of commands; every transition is in the database before it becomes visible. The transitions of one turn of the event loop share
 * a commit; if it fails, the commands keep their stored state.
 */
export class CommandEngine {
  readonly #open = new OpenCommands();
  /** Bytes of newly finished commands after which a device's oldest ones are deleted: often enough to keep the limit, rarely enough to be cheap. */
  readonly #finishedBytes = new Growth<DeviceId>(SPACE_BYTES / 8);
  readonly #relayed = new RelayedCommands();
  readonly #rounds = new DeviceRounds({
    devices: () => this.#open.devices(),
    visit: (deviceId) => this.listening(deviceId),
    isRunning: () => this.#running,
    onError: (error) => this.#deps.log.error("queued commands could not be sent", { error }),
  });
  /** Devices waiting for their next command. */
  readonly #polls: Waiters<DeviceId, Command>;
  /** Callers waiting for the end of a command, by its id. */
  readonly #ends: Waiters<string, Command>;
  #cancelTimer: () => void = () => undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #cancelCleaning: () => void = () => undefined;
  #running = false;

  readonly #deps: CommandEngineDeps;

  constructor(deps: CommandEngineDeps) {
    this.#deps = deps;
    this.#polls = new Waiters(deps.clock);
    this.#ends = new Waiters(deps.clock);
  }

  /** Subscribes to changes of devices. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    events.on("device.deleted", ({ deviceId }) => this.#deviceDeleted(deviceId));
    events.on("device.updated", ({ deviceId }) => this.#deviceUpdated(deviceId));
  }

  start(): void {
    const { repository } = this.#deps;
    this.#running = true;
    for (const command of repository.eachIn("SENT")) this.#resume(command);
    const waiting = new Set<DeviceId>();
    for (const command of repository.eachIn("QUEUED")) {
      this.#track(command);
      waiting.add(command.deviceId);
    }
    for (const deviceId of waiting) this.listening(deviceId);
    for (const command of repository.eachIn("DELIVERED")) {
      this.#track(command);
      this.#limitWait(command);
    }
    this.#onTimer();
    this.#clean();
  }

  stop(): void {
    this.#running = false;
    this.#cancelTimer();
    this.#cancelCleaning();
    this.#polls.endAll();
    this.#ends.endAll();
    this.#deps.repository.flush();
  }

  /**
   * Stores a new command, which is sent immediately if its device is connected. Resolves to the stored command; with `waitMs`, when it is finished
   * or after that time.
   * @throws DomainError `limited` if the device has too many open commands or they take up too much space
   */
  async create(command: NewCommand, waitMs: number): Promise<Command> {
    const params = JSON.stringify(command.params);
    const bytes = COMMAND_BYTES + Buffer.byteLength(params);
    const release = this.#open.reserve(command.deviceId, bytes);
    const created = Promise.withResolvers<Command>();
    this.#deps.repository.create(
      { command, params, queuedMax: QUEUED_MAX },
      {
        committed: (stored) => {
          this.#track(stored, bytes);
          release();
          created.resolve(this.#submit(stored, waitMs));
        },
        failed(error) {
          release();
          created.reject(error);
        },
      },
    );
    return created.promise;
  }

  /** Resolves once the transitions so far are committed. */
  committed(): Promise<void> {
    return this.#deps.repository.committed();
  }

  /** Sends the queued commands of a listening device, in order, until a command cannot be sent. */
  listening(deviceId: DeviceId): void {
    const { repository } = this.#deps;
    this.#open.send(deviceId, () => {
      for (const limit of READ_PER_STEP)
        for (const command of repository.listIn(deviceId, "QUEUED", limit))
          if (this.#dispatch(command) === command) return;
    });
  }

  /** Sends the queued commands of a listening gateway's children. */
  gatewayListening(gatewayId: DeviceId): void {
    if (!this.#running) return;
    this.#rounds.start(gatewayId, (deviceId) => this.#deps.relay.gatewayOf(deviceId) === gatewayId);
  }

  /** Retries commands without a connection, because there may be one now. */
  wayOpened(): void {
    this.#rounds.start("all", () => true);
  }

  /** Requeues commands sent to a device whose connection has ended. */
  left(deviceId: DeviceId): void {
    const { repository, transport } = this.#deps;
    if (!this.#open.has(deviceId) || transport.keepsFor(deviceId)) return;
    for (const command of repository.listIn(deviceId, "SENT", QUEUED_MAX))
      if (this.#relayed.gatewayOf(command.rpcId) === undefined) this.#requeue(command);
  }

  /** Requeues commands sent through a gateway whose connection has ended. */
  gatewayLeft(gatewayId: DeviceId): void {
    if (!this.#deps.relay.keepsFor(gatewayId)) this.#requeueAll(this.#relayed.of(gatewayId));
  }

  /** Returns the device that the command is for. */
  deviceOf(rpcId: number): DeviceId | undefined {
    return this.#deps.repository.findByRpcId(rpcId)?.deviceId;
  }

  /** Records that the device has the message or, if it is kept for the device, that it is on its way. */
  delivered(deviceId: DeviceId, rpcId: number, isKept: boolean = false): void {
    const command = this.#findOf(deviceId, rpcId);
    if (command?.status !== "SENT") return;
    const timeMs = this.#deps.now();
    const dueAt = Math.max(timeMs + command.timeoutMs, isKept ? command.expiresAt : 0);
    this.#change(command, { status: "DELIVERED", deliveredAt: timeMs, dueAt });
  }

  /** Processes the response of a device to a command. Returns `false` if the device was never sent such a command. */
  answered(deviceId: DeviceId, rpcId: number, response: CommandResponse): boolean {
    const command = this.#findOf(deviceId, rpcId);
    if (command === undefined || command.attempts === 0) return false;
    this.#settle(command, response);
    return true;
  }

  /** Responds in place of the device, whether or not the command was sent. */
  played(command: Command, response: JsonValue): void {
    this.#settle(command, response);
  }

  /** Returns the oldest waiting command for a polling device, waiting for one if necessary; `undefined` after `ms`. */
  async next(deviceId: DeviceId, ms: number, signal: AbortSignal): Promise<Command | undefined> {
    const { repository } = this.#deps;
    const [waiting] = this.#open.has(deviceId) ? repository.listIn(deviceId, "QUEUED", 1) : [];
    return waiting === undefined ? this.#polls.wait(deviceId, ms, signal) : this.#handOver(waiting);
  }

  #track(command: Command, bytes?: number): void {
    const finishedBytes = this.#open.track(command, bytes === undefined ? undefined : () => bytes);
    const { deviceId, finishedAt, response, error } = command;
    if (finishedAt === null) return;
    const isMuch = this.#finishedBytes.add(deviceId, finishedBytes + bytesOf(response) + bytesOf(error));
    // Deferred, because this may run inside a commit.
    if (isMuch) queueMicrotask(() => this.#trim(deviceId));
  }

  #trim(deviceId: DeviceId): void {
    try {
      this.#deps.repository.trimFinished(deviceId, SPACE_BYTES);
    } catch (error) {
      this.#deps.log.error("old commands of a device could not be deleted", { deviceId, error });
    }
  }

  async #submit(command: Command, waitMs: number): Promise<Command> {
    this.#announce(command);
    this.#arm(command.dueAt ?? command.expiresAt);
    const submitted = this.#dispatchInOrder(command);
    const result = waitMs === 0 ? submitted : this.#finished(submitted, waitMs);
    const isStored = submitted === command ? undefined : this.#stored(submitted, waitMs);
    return (await Promise.all([result, isStored]))[0];
  }

  /** Resolves once a sent command is stored as sent. Waiting for the end does not speed up the write. */
  #stored({ rpcId }: Command, waitMs: number): Promise<void> | undefined {
    return waitMs === 0 ? this.committed() : this.#deps.repository.storing(rpcId);
  }

  /** Resolves when the command is finished, or after `ms`. */
  async #finished(command: Command, ms: number): Promise<Command> {
    if (isFinal(command)) return command;
    const ended = await this.#ends.wait(command.commandId, ms);
    return ended ?? this.#deps.repository.find(command.commandId) ?? command;
  }

  #announce({ tenantId, deviceId, commandId, requestId, status }: Command): void {
    this.#deps.events.emit("command.changed", { tenantId, deviceId, commandId, requestId, status });
  }

  /** Resumes a command sent before the gateway stopped. */
  #resume(command: Command): void {
    const { transport, relay } = this.#deps;
    this.#track(command);
    // Either a session of the device or of its gateway still has it, or it is sent again.
    if (transport.keepsFor(command.deviceId)) return;
    const gatewayId = relay.gatewayOf(command.deviceId);
    if (gatewayId !== undefined && relay.keepsFor(gatewayId)) this.#relayed.add(command.rpcId, gatewayId);
    else this.#requeue(command);
  }

  /** Shortens a wait that has become too long because the clock was set back. */
  #limitWait(command: Command): void {
    const { repository, transport, now } = this.#deps;
    const latest = now() + longestWait(command, transport.keepsFor(command.deviceId));
    if ((command.dueAt ?? 0) > latest) repository.save({ ...command, dueAt: latest }, () => undefined);
  }

  /** Records that a command is no longer in progress, so its gateway may have room for other commands. */
  #settled(rpcId: number): void {
    const gatewayId = this.#relayed.remove(rpcId);
    // Deferred, because the caller may be iterating over commands.
    if (gatewayId !== undefined) queueMicrotask(() => this.gatewayListening(gatewayId));
  }

  /** Changes a command. `isBrief`: another change is likely within milliseconds. */
  #change(command: Command, changes: CommandChanges, isBrief = false): Command {
    const changed = { ...command, ...changes };
    this.#deps.repository.save(changed, (isCurrent) => this.#changed(changed, isCurrent), isBrief);
    return changed;
  }

  /** Publishes a change. `isCurrent`: the command has not changed again. */
  #changed(command: Command, isCurrent: boolean): void {
    const { commandId, rpcId, status, dueAt } = command;
    this.#track(command);
    if (dueAt !== null) this.#arm(dueAt);
    // A requeued command may already be with its gateway again.
    if (isCurrent && status !== "SENT") this.#settled(rpcId);
    this.#announce(command);
    if (isFinal(command)) this.#ends.resolveAll(commandId, command);
  }

  /** Marks a command as sent. If it is kept for the device, the keeper repeats it. */
  #sent(command: Command, isKept = false): Command {
    const { now } = this.#deps;
    const attempts = Math.max(command.attempts, isKept ? command.retries : 0) + 1;
    const waitMs = attempts > command.retries ? command.timeoutMs : command.retryIntervalMs;
    const dueAt = Math.max(now() + waitMs, isKept ? command.expiresAt : 0);
    return this.#change(command, { status: "SENT", attempts, sentAt: now(), dueAt }, true);
  }

  #sendByGateway(command: Command): boolean {
    const { relay } = this.#deps;
    const gatewayId = relay.gatewayOf(command.deviceId);
    if (gatewayId === undefined || !this.#relayed.hasRoom(gatewayId) || !relay.send(command)) return false;
    this.#relayed.add(command.rpcId, gatewayId);
    return true;
  }

  /** Sends a new command, after those already waiting. */
  #dispatchInOrder(command: Command): Command {
    const { deviceId, rpcId } = command;
    if (!this.#open.isWaiting(deviceId)) return this.#dispatch(command);
    this.listening(deviceId);
    const current = this.#deps.repository.findByRpcId(rpcId);
    return current === undefined || current.status === "QUEUED" ? command : current;
  }

  /** Sends a queued command to the device if it is connected by any transport. */
  #dispatch(command: Command): Command {
    const taken = this.#deps.transport.send(command);
    if (taken !== false || this.#sendByGateway(command)) return this.#sent(command, taken === "kept");
    const poll = this.#polls.first(command.deviceId);
    if (poll === undefined) {
      this.#open.wait(command.deviceId);
      return command;
    }
    const handed = this.#sent(command);
    poll(this.committed().then(() => handed));
    return handed;
  }

  /** Resolves to the command for a polling device, once it is stored as sent. */
  async #handOver(command: Command): Promise<Command> {
    const handed = this.#sent(command);
    await this.committed();
    return handed;
  }

  #requeue(command: Command): Command {
    this.#open.wait(command.deviceId);
    return this.#change(command, { status: "QUEUED", dueAt: command.expiresAt });
  }

  /** Resends commands whose message may have been lost with a connection. */
  #requeueAll(rpcIds: Iterable<number>): void {
    for (const rpcId of rpcIds) {
      const command = this.#deps.repository.findByRpcId(rpcId);
      if (command?.status === "SENT") this.#requeue(command);
    }
  }

  /** Finishes a command by its response. A second response changes nothing; a late one still counts. */
  #settle(command: Command, response: CommandResponse): void {
    if (command.status === "SUCCESSFUL" || command.status === "FAILED") return;
    const timeMs = this.#deps.now();
    this.#change(command, {
      ...outcomeOf(response),
      deliveredAt: command.deliveredAt ?? timeMs,
      finishedAt: timeMs,
      dueAt: null,
    });
  }

  /** Ends the wait for a command that timed out. */
  #overdue(command: Command): void {
    const { status, attempts, retries } = command;
    if (status === "SENT" && attempts <= retries) this.#dispatch(this.#requeue(command));
    else this.#change(command, { ...overdueOutcome(command), finishedAt: this.#deps.now(), dueAt: null });
  }

  #arm(timeMs: number): void {
    if (!this.#running || timeMs >= this.#timerAt) return;
    const { clock, now } = this.#deps;
    this.#cancelTimer();
    this.#timerAt = timeMs;
    const waitMs = Math.min(Math.max(timeMs - now(), 0), TIMER_MS_MAX);
    this.#cancelTimer = clock.schedule(waitMs, () => this.#onTimer());
  }

  #onTimer(): void {
    const { repository, now, log } = this.#deps;
    this.#timerAt = Number.POSITIVE_INFINITY;
    try {
      for (const command of repository.listDue(now(), DUE_PER_STEP)) this.#overdue(command);
      repository.flush();
    } catch (error) {
      log.error("due commands could not be read", { error });
      this.#arm(now() + CLEAN_EVERY_MS / 60);
      return;
    }
    const next = repository.nextDueAt();
    if (next !== undefined) this.#arm(next);
  }

  #clean(): void {
    const { repository, clock, retentionTime, log } = this.#deps;
    let deleted = 0;
    try {
      deleted = repository.deleteFinished(retentionTime() - KEPT_MS, DELETED_PER_STEP);
    } catch (error) {
      log.error("old commands could not be deleted", { error });
    }
    const waitMs = deleted === DELETED_PER_STEP ? 1_000 : CLEAN_EVERY_MS;
    this.#cancelCleaning = clock.schedule(waitMs, () => this.#clean());
  }

  /** Returns the command if it belongs to the device. */
  #findOf(deviceId: DeviceId, rpcId: number): Command | undefined {
    const command = this.#deps.repository.findByRpcId(rpcId);
    return command?.deviceId === deviceId ? command : undefined;
  }

  #deviceDeleted(deviceId: DeviceId): void {
    const { repository } = this.#deps;
    repository.settle(); // or the ends of what waits would track it again
    repository.forgetOf(deviceId);
    for (const rpcId of this.#open.numbersOf(deviceId)) this.#settled(rpcId);
    this.#open.forget(deviceId);
    this.#finishedBytes.forget(deviceId);
    this.#polls.resolveAll(deviceId, undefined);
  }

  /** Sends a device's commands another way after its gateway has changed. */
  #deviceUpdated(deviceId: DeviceId): void {
    if (!this.#open.has(deviceId)) return;
    const gatewayId = this.#deps.relay.gatewayOf(deviceId);
    this.#requeueAll(
      this.#open
        .numbersOf(deviceId)
        .filter((rpcId) => (this.#relayed.gatewayOf(rpcId) ?? gatewayId) !== gatewayId),
    );
    this.listening(deviceId);
  }
}
