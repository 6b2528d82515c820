import { DomainError } from "../../lib/core/domain-error.ts";
import { Reason } from "../../lib/mqtt/reason.ts";
import type { Logger } from "../../platform/core/log.ts";
import { CommitGroup } from "./ack-queue.ts";

/** PUBACK reasons of MQTT 5 by kind of refusal. Other kinds mean "not stored": no acknowledgement. */
const refusals: ReadonlyMap<string, number> = new Map([
  ["invalid", Reason.payloadFormatInvalid],
  ["unsupported", Reason.payloadFormatInvalid],
  ["too_large", Reason.quotaExceeded],
  ["limited", Reason.quotaExceeded],
  ["exhausted", Reason.quotaExceeded],
  ["forbidden", Reason.notAuthorized],
  ["unauthenticated", Reason.notAuthorized],
  ["not_found", Reason.topicNameInvalid],
  ["conflict", Reason.unspecified],
]);

/** Refusal that may be acknowledged with `reason`, after `holdMs` if the protocol has no reason codes. */
export interface Refusal {
  readonly reason: number;
  readonly holdMs: number;
}

const HOLD_MS_MAX = 10_000;

/** Returns the refusal for the sender after an error; undefined if the message was neither stored nor finally refused. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof DomainError)) return undefined;
  const reason = refusals.get(error.kind);
  if (reason === undefined) return undefined;
  const holdMs = error.kind === "limited" ? Math.min(HOLD_MS_MAX, (error.retryAfterSeconds ?? 1) * 1000) : 0;
  return { reason, holdMs };
}

/**
 * Groups messages by the promises of `ingest`. Messages of all connections in one group commit share one promise, so there is one continuation per
 * commit instead of one per message or connection.
 */
export class CommitGroups {
  readonly #log: Logger;
  #promise: Promise<void> | undefined;
  #group = CommitGroup.settled();
  /** Groups of undecided promises. Several are open if attributes arrive between telemetry. */
  readonly #groups = new Map<Promise<void>, CommitGroup>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Returns the group of a promise. */
  of(promise: Promise<void>): CommitGroup {
    if (promise === this.#promise) return this.#group;
    const group = this.#groups.get(promise) ?? this.#open(promise);
    this.#promise = promise;
    this.#group = group;
    return group;
  }

  #open(promise: Promise<void>): CommitGroup {
    const group = new CommitGroup();
    this.#groups.set(promise, group);
    promise.then(
      () => this.#settle(promise, group, "committed"),
      (error: unknown) => this.#reject(promise, group, error),
    );
    return group;
  }

  #reject(promise: Promise<void>, group: CommitGroup, error: unknown): void {
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      group.reason = refusal.reason;
      this.#settle(promise, group, "committed");
      return;
    }
    this.#log.error("messages could not be stored and stay unacknowledged", {
      error,
      connections: group.members.length,
    });
    this.#settle(promise, group, "failed");
  }

  #settle(promise: Promise<void>, group: CommitGroup, state: "committed" | "failed"): void {
    group.state = state;
    this.#groups.delete(promise);
    if (this.#promise === promise) this.#promise = undefined;
    const { members } = group;
    group.members = [];
    for (const member of members) {
      try {
        member.groupSettled();
      } catch (error) {
        // An error of one connection must not prevent the acknowledgements of others.
        this.#log.error("answering a connection failed", { error });
      }
    }
  }
}
