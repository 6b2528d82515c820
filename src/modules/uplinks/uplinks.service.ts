import { invalid } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { isTimeZone } from "../../lib/time/time-zone.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import { mapRows } from "../../platform/database/row-list.ts";
import type { FolderCheck } from "../../platform/files/folder-check.ts";
import { Lanes } from "../../platform/load/lanes.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DomainEvents } from "../events.types.ts";
import { compileReadingSteps } from "../pipelines/reading-steps.service.ts";
import type { FeedStart } from "../telemetry/feeds.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import { ensureOperator } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import { checkTarget, type TargetSettings } from "./target-settings.ts";
import type { ChangeCursor, UplinkReport } from "./uplink.protocol.ts";
import type { UplinkChangesRepository } from "./uplink-changes.repository.ts";
import type { UplinkFleet } from "./uplink-fleet.ts";
import { joinTarget, type Secrets, splitTarget, withKeptSecrets } from "./uplink-secrets.ts";
import { ensureAllDevices, nothingToSkip, stepUnfit } from "./uplinks.errors.ts";
import type { UplinksRepository } from "./uplinks.repository.ts";
import type { Uplink, uplinkResource } from "./uplinks.resource.ts";
import type { UplinkOptions } from "./uplinks.types.ts";

const TAGS_MAX = 20;
const KEPT = { kept: true };

type NewUplink = typeof uplinkResource.$create;
type UplinkFields = typeof uplinkResource.$update;

/** Uplink as shown to users, with secrets as `{kept: true}`. */
export interface VisibleUplink extends Omit<Uplink, "secrets" | "cursor"> {
  readonly report: UplinkReport;
  /** Seconds since the uplink was up to date, or since its creation; null while disabled. */
  readonly lagSeconds: number | null;
  /** Approximate number of waiting values; null if not yet counted. */
  readonly waitingPoints: number | null;
}

const defaults: UplinkOptions = {
  site: "",
  selection: { deviceIds: [], deviceTypes: [], deviceTags: [], keys: [] },
  content: { telemetry: true, attributes: true, alarms: true, devices: true },
  steps: [],
  tags: {},
  order: "LIVE_FIRST",
  bytesPerSecond: null,
  window: null,
};

interface UplinksDeps {
  readonly repository: UplinksRepository;
  readonly changes: Pick<UplinkChangesRepository, "newest">;
  readonly fleet: UplinkFleet;
  readonly feeds: TelemetryStore["feeds"];
  readonly box: SealedBox;
  readonly tenants: Pick<TenantsService, "find">;
  readonly folders: Pick<FolderCheck, "ensureOutside">;
  readonly events: Pick<EventBus<DomainEvents>, "emit">;
  readonly clock: Clock;
}

/** Reads the secrets of an uplink. */
export const openSecrets = (box: SealedBox, { secrets }: Pick<Uplink, "secrets">): Secrets =>
  secrets === null ? {} : JSON.parse(box.open(secrets) ?? "{}");

/** Max. simultaneous tests of settings per tenant: each may take as much memory as an uplink, and further ones wait. */
const TESTS_PARALLEL_MAX = 3;

/** Service through which users manage uplinks. It requires access to all devices, because uplinks send data of any device. */
export class UplinksService {
  readonly #deps: UplinksDeps;
  readonly #tests = new Lanes(TESTS_PARALLEL_MAX);

  constructor(deps: UplinksDeps) {
    this.#deps = deps;
  }

  read(principal: Principal) {
    ensureAllDevices(principal);
    return mapRows(this.#deps.repository.rows(principal.tenantId), (uplink) => this.#visible(uplink));
  }

  get(principal: Principal, uplinkId: string): VisibleUplink {
    return this.#visible(this.#get(principal, uplinkId));
  }

  /** @throws DomainError `invalid` for invalid settings, `conflict` if there are too many uplinks */
  async create(principal: Principal, { start: from, ...fields }: NewUplink): Promise<VisibleUplink> {
    ensureAllDevices(principal);
    const { repository, feeds, fleet } = this.#deps;
    const { tenantId } = principal;
    repository.ensureRoom(tenantId);
    const start = from === "BEGINNING" ? "beginning" : "now";
    const settings = await this.#targetFrom(principal, fields.target, undefined);
    const uplink = this.#uplinkOf(newId(), tenantId, { fields, settings, start });
    // Before the row is inserted, so that nothing is lost in between. The next start closes a feed without a row.
    try {
      await feeds.open(uplink.uplinkId, tenantId, start);
      repository.insert(tenantId, uplink);
    } catch (error) {
      // If that fails, the next start closes it.
      await feeds.close(uplink.uplinkId).catch(() => undefined);
      throw error;
    }
    await fleet.apply(uplink);
    return this.#visible(uplink);
  }

  async update(principal: Principal, uplinkId: string, fields: UplinkFields): Promise<VisibleUplink> {
    const { repository, fleet } = this.#deps;
    const { name, enabled, target } = fields;
    const stored = this.#get(principal, uplinkId);
    const settings = target === undefined ? undefined : await this.#targetFrom(principal, target, stored);
    const before = this.#get(principal, uplinkId);
    const options = this.#withSite(before.tenantId, { ...before.options, ...optionsOf(fields) });
    ensureSteps(fields.steps);
    ensureOptions(options);
    const uplink = repository.update(before, {
      name,
      enabled,
      ...(settings !== undefined && this.#stored(settings)),
      options,
    });
    await fleet.apply(uplink);
    return this.#visible(uplink);
  }

  async delete(principal: Principal, uplinkId: string): Promise<void> {
    this.#deps.repository.delete(this.#get(principal, uplinkId));
    await this.#deps.fleet.remove(uplinkId);
    this.#deps.events.emit("subject.deleted", { kind: "uplink", id: uplinkId });
  }

  /** Connects to a target without storing anything. `signal`: aborted when nobody waits. @throws DomainError that describes the failure */
  async test(
    principal: Principal,
    { target, uplinkId }: { readonly target: unknown; readonly uplinkId?: string | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    ensureAllDevices(principal);
    const before = uplinkId === undefined ? undefined : this.#get(principal, uplinkId);
    const settings = await this.#targetFrom(principal, target, before);
    const { tenantId } = principal;
    const uplink = this.#uplinkOf(`test-${newId()}`, tenantId, { fields: {}, settings, start: "now" });
    await this.#tests.run(tenantId, () => this.#deps.fleet.check(uplink), { signal });
  }

  /** Resends the stored data of a closed range. */
  async resend(
    principal: Principal,
    uplinkId: string,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<VisibleUplink> {
    const uplink = this.#get(principal, uplinkId);
    await this.#deps.fleet.resend(uplinkId, from, to);
    return this.#visible(uplink);
  }

  /** Skips the oldest batch, which the target refuses. */
  async skip(principal: Principal, uplinkId: string): Promise<VisibleUplink> {
    const uplink = this.#get(principal, uplinkId);
    const { fleet } = this.#deps;
    if (!fleet.reportOf(uplinkId).isRefused) throw nothingToSkip();
    await fleet.skip(uplinkId);
    return this.#visible(uplink);
  }

  #get(principal: Principal, uplinkId: string): Uplink {
    ensureAllDevices(principal);
    return this.#deps.repository.get(principal.tenantId, uplinkId);
  }

  #uplinkOf(
    uplinkId: string,
    tenantId: TenantId,
    of: { readonly fields: UplinkFields; readonly settings: TargetSettings; readonly start: FeedStart },
  ): Uplink {
    const { clock } = this.#deps;
    const { fields, settings, start } = of;
    const options = this.#withSite(tenantId, { ...defaults, ...optionsOf(fields) });
    ensureSteps(fields.steps);
    ensureOptions(options);
    const now = clock.now();
    return {
      uplinkId,
      tenantId,
      name: fields.name ?? "",
      enabled: fields.enabled ?? true,
      ...this.#stored(settings),
      options,
      cursor: this.#cursorFor(start),
      createdAt: now,
      updatedAt: now,
    };
  }

  /** Replaces an empty site by the tenant's name. */
  #withSite(tenantId: TenantId, options: UplinkOptions): UplinkOptions {
    return options.site === ""
      ? { ...options, site: this.#deps.tenants.find(tenantId)?.name ?? "" }
      : options;
  }

  #visible({ secrets, cursor: _, ...uplink }: Uplink): VisibleUplink {
    const { fleet, box } = this.#deps;
    const report = fleet.reportOf(uplink.uplinkId);
    return {
      ...uplink,
      target: joinTarget({ target: uplink.target, secrets: openSecrets(box, { secrets }) }, () => KEPT),
      report,
      lagSeconds: fleet.lagOf(uplink.uplinkId),
      waitingPoints: report.state === "UP_TO_DATE" ? 0 : fleet.waitingOf(uplink.uplinkId),
    };
  }

  /** Validates the settings of a target; kept secrets are taken from the stored settings. */
  async #targetFrom(
    principal: Principal,
    input: unknown,
    before: Uplink | undefined,
  ): Promise<TargetSettings> {
    const { box, tenants, folders } = this.#deps;
    const stored = before && { target: before.target, secrets: openSecrets(box, before) };
    const existing = before?.target as TargetSettings | undefined; // fitted when it was stored, without its secrets
    const settings = checkTarget(withKeptSecrets(input, stored), existing);
    if (settings.type === "PARQUET" && settings.place.kind === "FOLDER") {
      // Only the gateway's own tenant may write to its disk.
      ensureOperator(tenants, principal);
      await folders.ensureOutside(settings.place.path);
    }
    return settings;
  }

  #stored(settings: TargetSettings): Pick<Uplink, "target" | "secrets"> {
    const { target, secrets } = splitTarget(settings);
    const hasSecrets = Object.keys(secrets).length > 0;
    return { target, secrets: hasSecrets ? this.#deps.box.seal(JSON.stringify(secrets)) : null };
  }

  #cursorFor(start: FeedStart): ChangeCursor {
    const newest = this.#deps.changes.newest();
    // From the beginning: present attributes, and all alarms that are kept.
    return start === "now" ? { ...newest, snapshot: null } : { ...newest, alarms: 0, snapshot: "" };
  }
}

const OPTION_NAMES = [
  "site",
  "selection",
  "content",
  "steps",
  "tags",
  "order",
  "bytesPerSecond",
  "window",
] as const satisfies readonly (keyof UplinkOptions)[];

function optionsOf(fields: UplinkFields): Partial<UplinkOptions> {
  return Object.fromEntries(
    OPTION_NAMES.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}

/** @throws DomainError `invalid` */
function ensureSteps(steps: UplinkFields["steps"] = []): void {
  // Its secrets would be stored unencrypted, and it would send nothing.
  if (Array.isArray(steps) && steps.some((step) => isJsonObject(step) && step.type === "webhook_forward"))
    throw stepUnfit();
  compileReadingSteps(steps);
}

/** @throws DomainError `invalid` */
function ensureOptions({ window, tags }: UplinkOptions): void {
  const pairs: readonly unknown[][] = isJsonObject(tags) ? Object.entries(tags) : [[]];
  const isGood = ([name, value]: readonly unknown[]) =>
    typeof name === "string" && name.length <= 64 && typeof value === "string" && value.length <= 256;
  if (pairs.length > TAGS_MAX || !pairs.every(isGood))
    throw invalid("uplink.tags_invalid", { max: TAGS_MAX });
  if (window !== null && !isTimeZone(window.timezone)) throw invalid("rule.timezone");
}
