import { DomainError, detail, unavailable } from "../../lib/core/domain-error.ts";
import { messageOf } from "../../lib/core/error-message.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Problem } from "../../platform/core/health.ts";
import type { Logger } from "../../platform/core/log.ts";
import { endThread } from "../../platform/load/end-thread.ts";
import { type CallHandlers, ThreadCalls } from "../../platform/load/thread-calls.ts";
import { workerUrl } from "../../platform/process/assets.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { OutboundReach } from "../outbound/outbound-reach.types.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import { nextChanges } from "./change-source.ts";
import type { UplinkDevice } from "./target.types.ts";
import type { TargetSettings } from "./targets/targets.schemas.ts";
import { UpToDateTimes } from "./up-to-date-times.ts";
import type { MainCalls, ThreadCallsOfUplinks, UplinkJob, UplinkReport } from "./uplink.protocol.ts";
import type { UplinkChangesRepository } from "./uplink-changes.repository.ts";
import { deviceNotSelected, uplinkNotFound } from "./uplinks.errors.ts";
import type { UplinksRepository } from "./uplinks.repository.ts";
import type { Uplink } from "./uplinks.resource.ts";
import type { UplinkTotals } from "./uplinks.types.ts";

/** Thread of the uplinks, controlled by the main thread. Runs while it is needed. */
class UplinkThread {
  readonly #calls: ThreadCalls<ThreadCallsOfUplinks, MainCalls>;
  readonly #log: Logger;
  readonly #onFailed: () => void;
  #worker: Worker | undefined;

  /** `onFailed`: called when the thread has crashed, which ends its uplinks. */
  constructor(deps: { handlers: CallHandlers<MainCalls>; onFailed: () => void; log: Logger }) {
    this.#log = deps.log;
    this.#onFailed = deps.onFailed;
    this.#calls = new ThreadCalls(
      (message, transfer) => this.#worker?.postMessage(message, transfer),
      deps.handlers,
    );
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  call<Name extends keyof ThreadCallsOfUplinks & string>(
    name: Name,
    args: ThreadCallsOfUplinks[Name]["args"],
  ): Promise<ThreadCallsOfUplinks[Name]["result"]> {
    this.#worker ??= this.#create();
    return this.#calls.call(name, args);
  }

  /** Ends the thread, whose uplinks must have ended. */
  stop(): void {
    endThread(this.#worker);
    this.#worker = undefined;
    this.#calls.failAll(unavailable("uplink.stopped"));
  }

  #create(): Worker {
    const worker = new Worker(workerUrl("src/modules/uplinks/uplink.worker.ts"), {
      smol: true, // a heap that is collected early: batches are short-lived
    });
    worker.addEventListener("message", (event: MessageEvent<unknown>) => this.#calls.receive(event.data));
    worker.addEventListener("error", ({ message }) => {
      this.#log.error("uplink worker failed", { error: message });
      this.stop();
      this.#onFailed();
    });
    return worker;
  }
}

/** Interval of the checks for new writes, in ms. */
const WAKE_INTERVAL_MS = 100;
/** Interval at which waiting values are counted, in ms. */
const COUNT_INTERVAL_MS = 15_000;
/** Delay before a crashed thread is restarted, in ms. */
const RESTART_MS = 10_000;

interface FleetDeps {
  readonly repository: Pick<UplinksRepository, "find" | "listAll" | "setCursor">;
  readonly changes: UplinkChangesRepository;
  readonly store: Pick<TelemetryStore, "feeds" | "committed" | "deletions">;
  /** Returns the settings of the target with their secrets. */
  readonly targetOf: (uplink: Uplink) => TargetSettings;
  readonly reach: OutboundReach;
  readonly command: (
    uplink: Uplink,
    request: { readonly deviceId: string; readonly method: string; readonly params: JsonValue },
  ) => Promise<JsonValue>;
  readonly settings: Pick<SettingsService, "read" | "save">;
  readonly onFault: (uplink: Uplink, fault: Text) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const initialReport: UplinkReport = {
  state: "STOPPED",
  sentPoints: 0,
  sentBatches: 0,
  sentBytes: 0,
  skippedBatches: 0,
  heldBytes: 0,
  lastSentAt: null,
  upToDateAt: null,
  error: null,
  errorAt: null,
  isRefused: false,
};

/** Runs the uplinks of all tenants on their thread, and serves the thread's calls. */
export class UplinkFleet {
  readonly #deps: FleetDeps;
  readonly #thread: UplinkThread;
  readonly #waking: ReturnType<typeof createPeriodic>;
  readonly #counting: ReturnType<typeof createPeriodic>;
  /** Enabled uplinks by id. */
  readonly #running = new Map<string, Uplink>();
  /** Number of batches set aside since startup. */
  #setAside = 0;
  /** Reports by uplink id. */
  readonly #reports = new Map<string, UplinkReport>();
  /** Last pending change by uplink id; changes to an uplink are serialized. */
  readonly #changes = new Map<string, Promise<void>>();
  /** Uplink id → approximate number of waiting values. */
  readonly #waiting = new Map<string, number>();
  readonly #upToDate: UpToDateTimes;
  /** Groups and deletions reported to the thread. */
  #seenWrites = 0;
  /** Values sent by uplinks that have ended. */
  #endedPoints = 0;
  #cancelRestart: () => void = () => undefined;

  constructor(deps: FleetDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#upToDate = new UpToDateTimes(deps);
    this.#thread = new UplinkThread({ handlers: this.#handlers(), onFailed: () => this.#restart(), log });
    this.#waking = createPeriodic({
      clock,
      log,
      intervalMs: WAKE_INTERVAL_MS,
      work: () => this.#wakeIfWritten(),
    });
    this.#counting = createPeriodic({ clock, log, intervalMs: COUNT_INTERVAL_MS, work: () => this.#count() });
  }

  async start(): Promise<void> {
    const all = this.#deps.repository.listAll();
    await this.#deps.store.feeds.keepOnly(all.map(({ uplinkId }) => uplinkId));
    for (const uplink of all) await this.apply(uplink);
    this.#counting.start();
  }

  async stop(): Promise<void> {
    this.#cancelRestart();
    this.#counting.stop();
    await Promise.allSettled([...this.#running.keys()].map((uplinkId) => this.#end(uplinkId)));
    this.#waking.stop();
    this.#thread.stop();
  }

  /** Runs the stored uplink, or ends it if disabled. Does nothing if it was deleted meanwhile. */
  apply({ uplinkId, tenantId }: Pick<Uplink, "uplinkId" | "tenantId">): Promise<void> {
    return this.#inOrder(uplinkId, async () => {
      const { repository, store } = this.#deps;
      const uplink = repository.find(tenantId, uplinkId);
      if (uplink === undefined) return;
      await store.feeds.open(uplinkId, tenantId, "now");
      if (!uplink.enabled) return this.#end(uplinkId);
      this.#add(uplink);
      this.#upToDate.begin(uplinkId, uplink.createdAt);
      await this.#thread.call("run", this.#jobOf(uplink));
    });
  }

  /** Ends the uplink and forgets its progress. */
  remove(uplinkId: string): Promise<void> {
    return this.#inOrder(uplinkId, async () => {
      await this.#end(uplinkId);
      this.#reports.delete(uplinkId);
      this.#waiting.delete(uplinkId);
      this.#upToDate.forget(uplinkId);
      await this.#deps.store.feeds.close(uplinkId);
    });
  }

  /** Connects to a target as a test. @throws DomainError that describes the failure */
  async check(uplink: Uplink): Promise<void> {
    const wasRunning = this.#running.has(uplink.uplinkId);
    if (!wasRunning) this.#add(uplink);
    try {
      await this.#thread.call("check", this.#jobOf(uplink));
    } finally {
      if (!wasRunning) this.#running.delete(uplink.uplinkId);
      this.#stopIfIdle();
    }
  }

  /** Ends the uplinks of a deleted tenant. */
  async endTenant(tenantId: TenantId): Promise<void> {
    const uplinks = [...this.#running.values()].filter((uplink) => uplink.tenantId === tenantId);
    const endings = uplinks.map(({ uplinkId }) => this.remove(uplinkId));
    // Those that are not enabled have a feed as well.
    endings.push(this.#deps.store.feeds.closeOf(tenantId));
    for (const ending of await Promise.allSettled(endings))
      if (ending.status === "rejected")
        this.#deps.log.warn("uplink of a deleted tenant did not stop", {
          reason: messageOf(ending.reason),
        });
  }

  async resend(uplinkId: string, from: number, to: number): Promise<void> {
    await this.#deps.store.feeds.resend(uplinkId, from, to);
    this.wake();
  }

  async skip(uplinkId: string): Promise<void> {
    if (this.#running.has(uplinkId)) await this.#thread.call("skip", { uplinkId });
  }

  /** Returns a warning until the next restart, because a user must check whether values are missing at a target. */
  problem(): Problem | undefined {
    const count = this.#setAside;
    return count === 0
      ? undefined
      : { severity: "WARNING", ...detail("uplink.batches_set_aside", { count }) };
  }

  /** Returns sums over the uplinks of all tenants. */
  totals(): UplinkTotals {
    const reports = [...this.#running.keys()].map((uplinkId) => this.reportOf(uplinkId));
    const waiting = [...this.#running.keys()].map((uplinkId) => this.#waiting.get(uplinkId) ?? 0);
    const lags = [...this.#running.keys()].map((uplinkId) => this.lagOf(uplinkId) ?? 0);
    return {
      running: reports.length,
      failing: reports.filter(({ state }) => state === "ERROR").length,
      waitingForMemory: reports.filter(({ state }) => state === "WAITING_FOR_MEMORY").length,
      heldBytes: reports.reduce((sum, { heldBytes }) => sum + heldBytes, 0),
      lagSeconds: Math.max(0, ...lags),
      waitingPoints: waiting.reduce((sum, points) => sum + points, 0),
      setAside: this.#setAside,
      sentPoints: this.#endedPoints + reports.reduce((sum, { sentPoints }) => sum + sentPoints, 0),
    };
  }

  reportOf(uplinkId: string): UplinkReport {
    return this.#running.has(uplinkId) ? (this.#reports.get(uplinkId) ?? initialReport) : initialReport;
  }

  /** Returns the seconds since the uplink was up to date, or since its creation; null while disabled. */
  lagOf(uplinkId: string): number | null {
    return this.reportOf(uplinkId).state === "UP_TO_DATE" ? 0 : this.#upToDate.lagOf(uplinkId);
  }

  waitingOf(uplinkId: string): number | null {
    return this.#waiting.get(uplinkId) ?? null;
  }

  /** Notifies the thread of new writes. */
  wake(): void {
    // A thread that ends meanwhile needs no waking.
    if (this.#running.size > 0) this.#thread.call("wake", null).catch(() => undefined);
  }

  /** Notifies the thread of changed devices, which it then reads again. */
  forgetDevices(deviceIds: readonly DeviceId[]): void {
    if (this.#running.size > 0) this.#thread.call("forgetDevices", { deviceIds }).catch(() => undefined);
  }

  /** Serializes changes to an uplink, because overlapping changes could leave it running twice, or after its deletion. */
  #inOrder(uplinkId: string, change: () => Promise<void>): Promise<void> {
    const result = (this.#changes.get(uplinkId) ?? Promise.resolve()).then(change);
    const settled = result
      .catch(() => undefined) // the caller gets the error
      .finally(() => {
        if (this.#changes.get(uplinkId) === settled) this.#changes.delete(uplinkId);
      });
    this.#changes.set(uplinkId, settled);
    return result;
  }

  async #end(uplinkId: string): Promise<void> {
    if (!this.#running.has(uplinkId)) return;
    if (this.#thread.isRunning) await this.#thread.call("end", { uplinkId });
    this.#endedPoints += this.reportOf(uplinkId).sentPoints;
    this.#reports.delete(uplinkId);
    this.#upToDate.end(uplinkId);
    this.#running.delete(uplinkId);
    this.#stopIfIdle();
  }

  #add(uplink: Uplink): void {
    if (this.#running.size === 0) this.#waking.start();
    this.#running.set(uplink.uplinkId, uplink);
  }

  /** Stops the thread and the checks for writes if there are no uplinks, to save memory and processor time. */
  #stopIfIdle(): void {
    if (this.#running.size > 0) return;
    this.#waking.stop();
    this.#thread.stop();
  }

  #restart(): void {
    this.#cancelRestart = this.#deps.clock.schedule(RESTART_MS, () => {
      for (const uplink of this.#running.values()) void this.apply(uplink).catch(() => undefined); // the thread failed again
    });
  }

  #wakeIfWritten(): void {
    const { committed, deletions } = this.#deps.store;
    const writes = committed.groups + deletions;
    if (writes === this.#seenWrites) return;
    this.#seenWrites = writes;
    this.wake();
  }

  #count(): void {
    for (const uplinkId of this.#running.keys()) {
      this.#upToDate.keep(uplinkId, this.reportOf(uplinkId).state === "UP_TO_DATE");
      if (this.reportOf(uplinkId).state === "UP_TO_DATE") this.#waiting.set(uplinkId, 0);
      else
        this.#deps.store.feeds.countPoints(uplinkId).then(
          (points) => this.#waiting.set(uplinkId, points),
          (error) => this.#deps.log.debug("waiting values are unknown", { error }),
        );
    }
  }

  #jobOf(uplink: Uplink): UplinkJob {
    const { uplinkId, tenantId, options } = uplink;
    return {
      uplinkId,
      tenantId,
      target: this.#deps.targetOf(uplink),
      sendsTelemetry: options.content.telemetry,
      deviceIds: options.selection.deviceIds,
      keys: options.selection.keys,
      steps: options.steps,
      order: options.order,
      bytesPerSecond: options.bytesPerSecond,
      window: options.window,
      authorities: this.#deps.reach.authorities,
    };
  }

  #get(uplinkId: string): Uplink {
    const uplink = this.#running.get(uplinkId);
    if (uplink === undefined) throw uplinkNotFound();
    return uplink;
  }

  #handlers(): CallHandlers<MainCalls> {
    const { store, reach, changes, repository, log } = this.#deps;
    const devicesOf = (uplink: Uplink, deviceIds: readonly string[]) => this.#devicesOf(uplink, deviceIds);
    return {
      read: ({ feed, ...args }) => store.feeds.read(feed, args),
      backlog: ({ feed, ...args }) => store.feeds.backlog(feed, args),
      rows: ({ deviceId, ...range }) => store.feeds.rows(deviceId as DeviceId, range), // an id of the store
      confirm: (confirmation) => store.feeds.confirm(confirmation).then(() => undefined),
      devices: ({ uplinkId, deviceIds }) => devicesOf(this.#get(uplinkId), deviceIds),
      changes: ({ uplinkId }) => nextChanges({ changes, devicesOf }, this.#get(uplinkId)),
      confirmChanges: ({ uplinkId, cursor }) => {
        const uplink = this.#get(uplinkId);
        repository.setCursor(uplinkId, cursor);
        this.#running.set(uplinkId, { ...uplink, cursor });
        this.#forgetSentChanges(uplink.tenantId);
      },
      resolve: async ({ uplinkId, host, port }) => {
        try {
          return await reach.addresses.of(this.#get(uplinkId).tenantId).resolve(host, port);
        } catch (error) {
          throw error instanceof DomainError
            ? error
            : new DomainError("unavailable", networkErrorText(error));
        }
      },
      command: async ({ uplinkId, ...request }) => {
        const uplink = this.#get(uplinkId);
        // The target may only command devices that its uplink selects.
        if (devicesOf(uplink, [request.deviceId])[0] === null) throw deviceNotSelected();
        try {
          return await this.#deps.command(uplink, request);
        } catch (error) {
          if (!(error instanceof DomainError)) log.error("uplink command failed", { uplinkId, error });
          throw error;
        }
      },
      report: ({ uplinkId, report }) => this.#take(uplinkId, report),
      commandsUnanswered: ({ uplinkId }) => {
        log.warn("uplink commands dropped, target does not read responses", { uplinkId });
        this.#deps.onFault(this.#get(uplinkId), detail("fault.uplink_commands_unanswered"));
      },
      setAside: ({ uplinkId, file }) => {
        this.#setAside++;
        log.warn("unreadable uplink batch set aside", { uplinkId, file });
        this.#deps.onFault(this.#get(uplinkId), detail("fault.uplink_set_aside", { file }));
      },
      failed: ({ reason }) => log.warn("client of an uplink failed", { reason }),
    };
  }

  #take(uplinkId: string, report: UplinkReport): void {
    const before = this.reportOf(uplinkId);
    this.#reports.set(uplinkId, report);
    const { log } = this.#deps;
    if (report.upToDateAt !== before.upToDateAt) this.#upToDate.note(uplinkId);
    if (report.state === "ERROR" && before.state !== "ERROR") {
      log.warn("uplink cannot send", { uplinkId, reason: reasonOf(report) });
      const reason = report.error ?? detail("fault.unknown");
      const code = report.isRefused ? "fault.uplink_refused" : "fault.uplink_stalled";
      this.#deps.onFault(this.#get(uplinkId), detail(code, { reason }));
    }
    if (report.state !== "ERROR" && before.state === "ERROR") log.info("uplink sending again", { uplinkId });
  }

  #forgetSentChanges(tenantId: TenantId): void {
    const cursors = this.#deps.repository
      .listAll()
      .filter((uplink) => uplink.tenantId === tenantId && uplink.options.content.devices);
    this.#deps.changes.forgetDevices(tenantId, Math.min(...cursors.map(({ cursor }) => cursor.devices)));
  }

  #devicesOf(uplink: Uplink, deviceIds: readonly string[]): readonly (UplinkDevice | null)[] {
    const { selection, site, tags } = uplink.options;
    const rows = this.#deps.changes.devices(uplink.tenantId, deviceIds);
    const byDevice = new Map<string, (typeof rows)[number]>(rows.map((row) => [row.deviceId, row]));
    const isIn = (list: readonly string[], value: string) => list.length === 0 || list.includes(value);
    return deviceIds.map((deviceId) => {
      const device = byDevice.get(deviceId);
      if (device === undefined || !isIn(selection.deviceIds, deviceId)) return null;
      if (!isIn(selection.deviceTypes, device.deviceType)) return null;
      const { deviceTags } = selection;
      if (deviceTags.length > 0 && !device.tags.some((tag) => deviceTags.includes(tag))) return null;
      return { deviceId, name: device.name, type: device.deviceType, site, tags };
    });
  }
}

const reasonOf = ({ error }: UplinkReport): string =>
  error === null ? "" : new DomainError("unavailable", error).message;
