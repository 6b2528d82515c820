import { DomainError, type ErrorKind } from "../../lib/domain-error.ts";
import type { RateMeter } from "../../lib/rate-meter.ts";
import type { Clock } from "../../platform/clock.ts";
import { deviceBytesLimit, deviceMessagesLimit } from "../devices/devices.errors.ts";
import { bytesLimit, messagesLimit } from "../tenants/tenants.errors.ts";
import type { IngestDevice, Rejection } from "./ingest.types.ts";

/** Interval at which a device that sends too fast is shown live. */
const SHOWING_INTERVAL_MS = 1_000;

/** Temporary refusals: a retry may succeed without intervention. */
const passingKinds: ReadonlySet<ErrorKind> = new Set(["unavailable", "timed_out"]);

/** Counts messages against the rates of their device and of its tenant, and lists what is refused. */
export function createRateGate(deps: {
  clock: Pick<Clock, "monotonic">;
  /** Counts a message and its bytes, before it is known what becomes of it. */
  received: (device: IngestDevice, bytes: number) => void;
  /** Counts and lists a refused message. */
  refused: (device: IngestDevice, rejection: Rejection) => void;
}) {
  const { clock } = deps;

  /** Shows the first message of a run beyond the rate live, then one per second; the fault counts all of them. */
  function listOverRate(device: IngestDevice, rejection: Rejection): void {
    const now = clock.monotonic();
    const { overRateShownAt } = device;
    if (overRateShownAt !== undefined && now - overRateShownAt < SHOWING_INTERVAL_MS) {
      const { source, where, code, params } = rejection;
      deps.refused(device, { source, where, code, params, isCountedOnly: true });
      return;
    }
    device.overRateShownAt = now;
    deps.refused(device, rejection);
  }

  function ensureDevice({ limiter, byteLimiter }: IngestDevice, bytes: number): void {
    const waitMs = limiter?.take(clock.monotonic()) ?? 0;
    if (waitMs > 0) throw deviceMessagesLimit(limiter?.perSecond ?? 0, waitMs);
    const bytesWaitMs = byteLimiter?.take(clock.monotonic(), bytes) ?? 0;
    if (bytesWaitMs > 0) throw deviceBytesLimit(byteLimiter?.perSecond ?? 0, bytesWaitMs);
  }

  function ensureTenant(messages: RateMeter, byteMeter: RateMeter, bytes: number): void {
    const waitMs = messages.take(clock.monotonic());
    if (waitMs > 0) throw messagesLimit(messages.perSecond ?? 0, waitMs);
    const bytesWaitMs = byteMeter.take(clock.monotonic(), bytes);
    if (bytesWaitMs > 0) throw bytesLimit(byteMeter.perSecond ?? 0, bytesWaitMs);
  }

  return {
    /** Throws `limited` beyond what the device itself, and the plan of its tenant, let through: messages and bytes. */
    ensure(device: IngestDevice, bytes: number): void {
      deps.received(device, bytes);
      if (device.limiter !== undefined || device.byteLimiter !== undefined) ensureDevice(device, bytes);
      const { meters } = device;
      if (meters !== undefined) {
        if (meters.messages.isLimited || meters.bytes.isLimited)
          ensureTenant(meters.messages, meters.bytes, bytes);
        else {
          meters.messages.passed++;
          meters.bytes.passed += bytes;
        }
      }
      device.overRateShownAt = undefined;
    },
    /** Lists on the device what was refused for good, or beyond the rate. */
    list(device: IngestDevice, error: unknown, message: Omit<Rejection, "code" | "params">): void {
      if (!(error instanceof DomainError)) return;
      const { kind, code, params } = error;
      if (kind === "limited") listOverRate(device, { ...message, code, params });
      else if (!passingKinds.has(kind)) deps.refused(device, { ...message, code, params });
    },
  };
}
