import { unavailable } from "../../lib/core/domain-error.ts";
import type { TaskOwner } from "./fair-share.ts";
import { Counts, TenantBudget } from "./tenant-budget.ts";

const MIB = 1024 * 1024;
/** Max. bytes of a body. */
export const REQUEST_BYTES_MAX = 16 * MIB;
/** Max. MiB of long bodies of requests in progress in total, per tenant and per sender. A tenant has less where others use the space. */
export const BODIES_MIB_MAX = { all: 128, tenant: 96, sender: 48 } as const;
/** Shorter bodies do not count. */
const UNCOUNTED_BYTES = 64 * 1024;

/**
 * Budget of the bodies of requests in progress: a body takes its space before it is read, until the request has its response. Whoever sends
 * slowly takes it for minutes.
 */
export class BodySpace {
  readonly #senders = new Counts();
  readonly #budget = new TenantBudget({ all: BODIES_MIB_MAX.all * MIB, tenant: BODIES_MIB_MAX.tenant * MIB });
  readonly #held = new WeakMap<Request, () => void>();
  #refusals = 0;

  /** Bytes in use. */
  get used(): number {
    return this.#budget.used;
  }

  /** Number of refused requests since the start. */
  get refusals(): number {
    return this.#refusals;
  }

  /**
   * Takes space for the body of a request, once; `bytesMax` where the request does not say how long it is. A request without a length that is not
   * sent in parts has no body (RFC 9112, 6.3).
   * @throws DomainError `unavailable` if others of the sender, the tenant or all leave no space
   */
  take(request: Request, { tenantId, userId }: TaskOwner, bytesMax = REQUEST_BYTES_MAX): void {
    if (this.#held.has(request)) return;
    const length = request.headers.has("transfer-encoding")
      ? bytesMax
      : Number(request.headers.get("content-length") ?? 0);
    const bytes = Math.min(bytesMax, length);
    if (!(bytes > UNCOUNTED_BYTES)) return;
    const isFull =
      this.#senders.of(userId) + bytes > BODIES_MIB_MAX.sender * MIB ||
      this.#budget.limitFor(tenantId, bytes) !== undefined;
    if (isFull) {
      this.#refusals++;
      throw unavailable("body.others_in_progress");
    }
    const count = (change: number): void => {
      this.#senders.add(userId, change);
      this.#budget.count(tenantId, change);
    };
    count(bytes);
    this.#held.set(request, () => count(-bytes));
    // The response of a request whose client is gone is never made.
    request.signal.addEventListener("abort", () => this.release(request), { once: true });
  }

  /** The request has its response. Idempotent. */
  release(request: Request): void {
    this.#held.get(request)?.();
    this.#held.delete(request);
  }
}

/** Shared by all requests. */
export const bodySpace = new BodySpace();
