import { unavailable } from "../../lib/core/domain-error.ts";
import { MIB } from "../../lib/core/units.ts";
import type { TaskOwner } from "./fair-share.ts";
import { Counts, TenantBudget } from "./tenant-budget.ts";

/** Max. bytes of a body. */
export const REQUEST_BYTES_MAX = 16 * MIB;
/** Max. MiB of long bodies of requests in progress. */
export const BODIES_MIB_MAX = {
  all: 128,
  /** Per tenant; less while others use the space. */
  tenant: 96,
  /** Per user, device or integration. */
  sender: 48,
  /** All unauthenticated senders together. */
  strangers: 48,
  /** Per unauthenticated sender. */
  stranger: 12,
} as const;
/** Tenant id of unauthenticated senders. */
export const NO_TENANT = "";
/** Max. bytes of a body that does not count. */
const UNCOUNTED_BYTES = 64 * 1024;

/**
 * Budget of the bodies of requests in progress. A body takes its space before it is read, until the response is sent. A slow sender holds it for
 * minutes.
 */
export class BodySpace {
  readonly #senders = new Counts();
  readonly #budget = new TenantBudget({ all: BODIES_MIB_MAX.all * MIB, tenant: BODIES_MIB_MAX.tenant * MIB });
  readonly #held = new WeakMap<Request, () => void>();
  /** Bytes of senders without a tenant. */
  #strangers = 0;
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
   * Takes space for the body of a request, once; `bytesMax` if the request has no length. A request with neither a length nor chunks has no body
   * (RFC 9112, 6.3).
   * @throws DomainError `unavailable` if other bodies of the sender, the tenant or all tenants leave no space
   */
  take(request: Request, { tenantId, userId }: TaskOwner, bytesMax = REQUEST_BYTES_MAX): void {
    if (this.#held.has(request)) return;
    const length = request.headers.has("transfer-encoding")
      ? bytesMax
      : Number(request.headers.get("content-length") ?? 0);
    const bytes = Math.min(bytesMax, length);
    if (!(bytes > UNCOUNTED_BYTES)) return;
    const isStranger = tenantId === NO_TENANT;
    const senderMib = isStranger ? BODIES_MIB_MAX.stranger : BODIES_MIB_MAX.sender;
    const isFull =
      this.#senders.of(userId) + bytes > senderMib * MIB ||
      (isStranger && this.#strangers + bytes > BODIES_MIB_MAX.strangers * MIB) ||
      this.#budget.limitFor(tenantId, bytes) !== undefined;
    if (isFull) {
      this.#refusals++;
      throw unavailable("body.others_in_progress");
    }
    const count = (change: number): void => {
      this.#senders.add(userId, change);
      if (isStranger) this.#strangers += change;
      this.#budget.count(tenantId, change);
    };
    count(bytes);
    this.#held.set(request, () => count(-bytes));
    // A request whose client has disconnected never gets a response.
    request.signal.addEventListener("abort", () => this.release(request), { once: true });
  }

  /** Releases the space of a request after its response. Idempotent. */
  release(request: Request): void {
    this.#held.get(request)?.();
    this.#held.delete(request);
  }
}
