import { limited, tooLarge, unavailable } from "../../lib/core/domain-error.ts";
import { MIB } from "../../lib/core/units.ts";
import { Counts, TenantBudget } from "./tenant-budget.ts";

/**
 * Max. MiB of unread responses in total, per tenant and per user. The limit of a user also applies to a single response. A tenant has its full limit
 * while no other tenant uses the space, and less otherwise.
 */
export const RESPONSES_MIB_MAX = { all: 64, tenant: 48, user: 32 } as const;
/** Max. simultaneous exports. */
export const EXPORTS_MAX = { tenant: 4, user: 2 } as const;
const EXPORTS_RETRY_SECONDS = 5;

/** Recipient of a response. The dashboard links of a tenant count as one user. */
export interface ResponseReader {
  readonly tenantId: string;
  readonly userId: string;
}

export const RESPONSE_REFUSALS = ["too_large", "user", "tenant", "all", "exports"] as const;
export type ResponseRefusal = (typeof RESPONSE_REFUSALS)[number];

/** Recipient of all requests without sign-in. */
const nobody: ResponseReader = { tenantId: "", userId: "" };

/**
 * Budget of response bytes in flight: per user, per tenant and in total. A response counts from its serialization until the client has read it,
 * which may take minutes.
 */
export class ResponseSpace {
  readonly #userMax: number;
  readonly #budget: TenantBudget;
  readonly #readers = new WeakMap<Request, ResponseReader>();
  /** Bytes by user. */
  readonly #users = new Counts();
  readonly #exportsOfUsers = new Counts();
  readonly #exportsOfTenants = new Counts();
  readonly #refusals = new Map<ResponseRefusal, number>();

  /** @param mebibytes limits in total, per tenant and per user */
  constructor(
    mebibytes: { readonly all: number; readonly tenant: number; readonly user: number } = RESPONSES_MIB_MAX,
  ) {
    this.#userMax = mebibytes.user * MIB;
    this.#budget = new TenantBudget({ all: mebibytes.all * MIB, tenant: mebibytes.tenant * MIB });
  }

  /** Bytes in flight. */
  get used(): number {
    return this.#budget.used;
  }

  /** Number of refusals since the start, by limit. */
  get refusals(): ReadonlyArray<{ readonly limit: ResponseRefusal; readonly count: number }> {
    return RESPONSE_REFUSALS.map((limit) => ({ limit, count: this.#refusals.get(limit) ?? 0 }));
  }

  /** Records the recipient of a request. */
  note(request: Request, { tenantId, userId }: ResponseReader): void {
    this.#readers.set(request, { tenantId, userId });
  }

  /** Opens a response, initially of 0 bytes. */
  open(request: Request): HeldResponse {
    return new HeldResponse(this, this.#readers.get(request) ?? nobody);
  }

  /** Opens a stream of messages to a recipient, outside of a request. */
  openFor(reader: ResponseReader): HeldResponse {
    return new HeldResponse(this, reader);
  }

  /** Opens an export. @throws DomainError `limited` if the user or the tenant already runs the maximum */
  openExport(request: Request): HeldResponse {
    const held = this.open(request);
    const { tenantId, userId } = held.reader;
    const isFull =
      this.#exportsOfUsers.of(userId) >= EXPORTS_MAX.user ||
      this.#exportsOfTenants.of(tenantId) >= EXPORTS_MAX.tenant;
    if (isFull) {
      this.#refused("exports");
      throw limited("response.exports_running", EXPORTS_RETRY_SECONDS, {
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
   * Takes `bytes` in addition to the `held` bytes of the response.
   * @throws DomainError `too_large` if the response alone exceeds the limit, `unavailable` if other responses leave no space
   */
  take({ tenantId, userId }: ResponseReader, bytes: number, held: number): void {
    if (held + bytes > this.#userMax) {
      this.#refused("too_large");
      throw tooLarge("response.too_large", { max: Math.floor(this.#userMax / MIB) });
    }
    const limit =
      this.#users.of(userId) + bytes > this.#userMax ? "user" : this.#budget.limitFor(tenantId, bytes);
    if (limit !== undefined) {
      this.#refused(limit);
      throw unavailable("response.unread");
    }
    this.#count({ tenantId, userId }, bytes);
  }

  give(reader: ResponseReader, bytes: number): void {
    this.#count(reader, -bytes);
  }

  #count({ tenantId, userId }: ResponseReader, bytes: number): void {
    this.#users.add(userId, bytes);
    this.#budget.count(tenantId, bytes);
  }

  #refused(limit: ResponseRefusal): void {
    this.#refusals.set(limit, (this.#refusals.get(limit) ?? 0) + 1);
  }
}

/** Response with the space that it holds. */
export class HeldResponse {
  readonly reader: ResponseReader;
  readonly #space: ResponseSpace;
  #bytes = 0;
  /** Bytes for pieces that are not serialized yet. */
  #reserved = 0;
  #isEnded = false;
  #atEnd: Array<() => void> = [];

  constructor(space: ResponseSpace, reader: ResponseReader) {
    this.#space = space;
    this.reader = reader;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Takes space for more bytes of the response, reserved space first. */
  hold(bytes: number): void {
    const more = Math.max(0, bytes - this.#reserved);
    this.#space.take(this.reader, more, this.#bytes);
    this.#reserved -= bytes - more;
    this.#bytes += more;
  }

  /** Takes space for data that will be serialized, so that simultaneous large reads do not fill the memory. */
  reserve(bytes: number): void {
    if (this.#isEnded) throw unavailable("response.unread"); // nobody waits for the rest
    this.#space.take(this.reader, bytes, this.#bytes);
    this.#reserved += bytes;
    this.#bytes += bytes;
  }

  /** Releases the reserved space after serialization. */
  releaseReserved(): void {
    const reserved = this.#reserved;
    this.#reserved = 0;
    this.release(reserved);
  }

  /** Releases the space of sent bytes. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#bytes);
    this.#bytes -= released;
    this.#space.give(this.reader, released);
  }

  /** Runs a task when the response has been read or aborted. */
  atEnd(task: () => void): void {
    this.#atEnd.push(task);
  }

  /** Releases all space. Idempotent. */
  end(): void {
    this.#isEnded = true;
    this.#reserved = 0;
    this.release(this.#bytes);
    for (const task of this.#atEnd.splice(0)) task();
  }
}
