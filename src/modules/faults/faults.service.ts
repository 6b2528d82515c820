import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { RefusalEdge } from "../../lib/refusal-edges.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/log.ts";
import type { Listener, OwnPorts } from "../../platform/own-ports.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DomainEvents } from "../events.types.ts";
import { RefusalList } from "./refusal-list.ts";
import { RefusalLog } from "./refusal-log.ts";
import type { RefusalsRepository } from "./refusals.repository.ts";
import type { Refusal, RefusalEntry, RefusalProtocol, RefusalReason } from "./refusals.types.ts";

const LIMITS = { entriesMax: 1_000, perAddressMax: 50, staleMs: 60 * 60_000 };
/** A crash loses the refusals of this time; an attack costs one transaction in it. */
const FLUSH_INTERVAL_MS = 5 * 60_000;
const SUMMARY_INTERVAL_MS = 60_000;

const listeners: Record<RefusalProtocol, Listener> = {
  mqtt: "mqtt",
  mqtts: "mqttTls",
  http: "http",
  ws: "http",
  https: "https",
  wss: "https",
};

export interface RefusalCount {
  readonly edge: RefusalEdge;
  readonly reason: RefusalReason;
  readonly count: number;
}

interface RefusalsDeps {
  readonly repository: RefusalsRepository;
  readonly ports: Pick<OwnPorts, "get">;
  readonly clock: Clock;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Counts, lists and logs credentials that were refused, whatever their number. */
export class Refusals {
  readonly #deps: RefusalsDeps;
  readonly #list = new RefusalList(LIMITS, newId);
  readonly #log: RefusalLog;
  /** Refusals since the start, by edge and reason. */
  readonly #counts = new Map<RefusalEdge, Map<RefusalReason, number>>();
  readonly #flushing: ReturnType<typeof createPeriodic>;
  readonly #summarizing: ReturnType<typeof createPeriodic>;
  #total = 0;

  constructor(deps: RefusalsDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#log = new RefusalLog(clock, log);
    this.#flushing = createPeriodic({
      clock,
      log,
      intervalMs: FLUSH_INTERVAL_MS,
      work: () => this.flush(),
    });
    this.#summarizing = createPeriodic({
      clock,
      log,
      intervalMs: SUMMARY_INTERVAL_MS,
      work: () => this.#log.summarize(),
    });
  }

  /** Subscribes to refusals. The module calls it once, before anything is started. */
  subscribe(): void {
    const { events } = this.#deps;
    this.#list.restore(this.#deps.repository.list());
    events.on("credential.refused", (refusal) => this.#record(refusal));
    events.on("tenant.deleted", ({ tenantId }) => this.#list.removeTenant(tenantId));
    events.on("device.deleted", ({ deviceId }) => this.#list.removeDevice(deviceId));
  }

  start(): void {
    this.#flushing.start();
    this.#summarizing.start();
  }

  stop(): void {
    this.#flushing.stop();
    this.#summarizing.stop();
    this.#log.summarize(true);
    this.flush();
  }

  /** Number of refusals since the start. */
  get total(): number {
    return this.#total;
  }

  counts(): RefusalCount[] {
    return [...this.#counts].flatMap(([edge, reasons]) =>
      [...reasons].map(([reason, count]) => ({ edge, reason, count })),
    );
  }

  /** Lists refusals, the newest first; of one tenant those whose identity is known to be the tenant's. */
  list(of: { readonly tenantId?: TenantId; readonly deviceId?: DeviceId } = {}): RefusalEntry[] {
    return this.#list
      .list()
      .filter(({ tenantId }) => of.tenantId === undefined || tenantId === of.tenantId)
      .filter(({ deviceId }) => of.deviceId === undefined || deviceId === of.deviceId);
  }

  /** Stores what has changed since the previous time. */
  flush(): void {
    const { saved, removed } = this.#list.changes();
    if (saved.length + removed.length === 0) return;
    this.#deps.repository.save(saved, removed);
    this.#list.stored();
  }

  #record(refusal: Refusal): void {
    const { edge, reason, protocol } = refusal;
    this.#total++;
    const ofEdge = this.#counts.get(edge) ?? new Map<RefusalReason, number>();
    this.#counts.set(edge, ofEdge);
    ofEdge.set(reason, (ofEdge.get(reason) ?? 0) + 1);
    const { clock, ports } = this.#deps;
    this.#log.refused(this.#list.record(refusal, clock.now(), () => ports.get(listeners[protocol])));
  }
}
