import { limited, tooLarge, unavailable } from "../lib/domain-error.ts";

const MIB = 1024 * 1024;
/** Memory for answers that wait for their readers, in all, of one tenant and of one user. A single answer is at most as large as a user's share. */
export const ANSWERS_MIB_MAX = { all: 64, tenant: 48, user: 32 } as const;
/** Exports that run simultaneously. */
export const EXPORTS_MAX = { tenant: 4, user: 2 } as const;
const EXPORTS_RETRY_SECONDS = 5;

/** Who an answer is for. A link to a dashboard is a user of its own. */
export interface AnswerReader {
  readonly tenantId: string;
  readonly userId: string;
}

export const answerRefusals = ["too_large", "user", "tenant", "all", "exports"] as const;
export type AnswerRefusal = (typeof answerRefusals)[number];

/** Requests without sign-in share one part of the space. */
const nobody: AnswerReader = { tenantId: "", userId: "" };

/** Numbers by name; a name whose number is 0 is forgotten. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

/**
 * The one budget of bytes in flight: what leaves the gateway counts here from the moment it is text until its reader has taken it, for the
 * reader, for the tenant and in all. A slow reader keeps its answer for minutes.
 */
export class AnswerSpace {
  readonly #max: Readonly<Record<keyof typeof ANSWERS_MIB_MAX, number>>;
  readonly #readers = new WeakMap<Request, AnswerReader>();
  /** Bytes by user and by tenant. */
  readonly #users = new Counts();
  readonly #tenants = new Counts();
  readonly #exportsOfUsers = new Counts();
  readonly #exportsOfTenants = new Counts();
  readonly #refusals = new Map<AnswerRefusal, number>();
  #used = 0;

  /** `mebibytes` replace the limits in all, of a tenant and of a user. */
  constructor(
    mebibytes: { readonly all: number; readonly tenant: number; readonly user: number } = ANSWERS_MIB_MAX,
  ) {
    this.#max = { all: mebibytes.all * MIB, tenant: mebibytes.tenant * MIB, user: mebibytes.user * MIB };
  }

  /** Bytes in flight. */
  get used(): number {
    return this.#used;
  }

  /** Number of refusals since the start, by limit. */
  get refusals(): ReadonlyArray<{ readonly limit: AnswerRefusal; readonly count: number }> {
    return answerRefusals.map((limit) => ({ limit, count: this.#refusals.get(limit) ?? 0 }));
  }

  /** Notes whose request it is. */
  note(request: Request, { tenantId, userId }: AnswerReader): void {
    this.#readers.set(request, { tenantId, userId });
  }

  /** Begins an answer of 0 bytes. */
  open(request: Request): HeldAnswer {
    return new HeldAnswer(this, this.#readers.get(request) ?? nobody);
  }

  /** Begins what is sent to a reader without a request for each part. */
  openFor(reader: AnswerReader): HeldAnswer {
    return new HeldAnswer(this, reader);
  }

  /** Begins an export. @throws DomainError `limited`: the user or the tenant has as many as may run. */
  openExport(request: Request): HeldAnswer {
    const held = this.open(request);
    const { tenantId, userId } = held.reader;
    const isFull =
      this.#exportsOfUsers.of(userId) >= EXPORTS_MAX.user ||
      this.#exportsOfTenants.of(tenantId) >= EXPORTS_MAX.tenant;
    if (isFull) {
      this.#refused("exports");
      throw limited("answer.exports_running", EXPORTS_RETRY_SECONDS, {
        user: EXPORTS_MAX.user,
        tenant: EXPORTS_MAX.tenant,
      });
    }
    const count = (change: 1 | -1) => {
      this.#exportsOfUsers.add(userId, change);
      this.#exportsOfTenants.add(tenantId, change);
    };
    count(1);
    held.atEnd(() => count(-1));
    return held;
  }

  /**
   * `held` are the bytes that the answer has already.
   * @throws DomainError `too_large` if the answer alone is too large, `unavailable` if others leave no room for it.
   */
  take({ tenantId, userId }: AnswerReader, bytes: number, held: number): void {
    const max = this.#max;
    if (held + bytes > max.user) {
      this.#refused("too_large");
      throw tooLarge("answer.too_large", { max: Math.floor(max.user / MIB) });
    }
    const limit =
      this.#users.of(userId) + bytes > max.user
        ? "user"
        : this.#tenants.of(tenantId) + bytes > max.tenant
          ? "tenant"
          : this.#used + bytes > max.all
            ? "all"
            : undefined;
    if (limit !== undefined) {
      this.#refused(limit);
      throw unavailable("answer.unread");
    }
    this.#count({ tenantId, userId }, bytes);
  }

  give(reader: AnswerReader, bytes: number): void {
    this.#count(reader, -bytes);
  }

  #count({ tenantId, userId }: AnswerReader, bytes: number): void {
    this.#used += bytes;
    this.#users.add(userId, bytes);
    this.#tenants.add(tenantId, bytes);
  }

  #refused(limit: AnswerRefusal): void {
    this.#refusals.set(limit, (this.#refusals.get(limit) ?? 0) + 1);
  }
}

/** An answer, with its part of the space. */
export class HeldAnswer {
  readonly reader: AnswerReader;
  readonly #space: AnswerSpace;
  #bytes = 0;
  #atEnd: Array<() => void> = [];

  constructor(space: AnswerSpace, reader: AnswerReader) {
    this.#space = space;
    this.reader = reader;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes space for more bytes of the answer. */
  hold(bytes: number): void {
    this.#space.take(this.reader, bytes, this.#bytes);
    this.#bytes += bytes;
  }

  /** Gives back the space of bytes that have been sent. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#bytes);
    this.#bytes -= released;
    this.#space.give(this.reader, released);
  }

  /** Runs a task when the answer has been taken or given up. */
  atEnd(task: () => void): void {
    this.#atEnd.push(task);
  }

  /** Gives back all space. A second call does nothing. */
  end(): void {
    this.release(this.#bytes);
    for (const task of this.#atEnd.splice(0)) task();
  }
}
