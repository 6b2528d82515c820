import { invalid } from "../../lib/domain-error.ts";
import type { TenantId } from "../../lib/ids.ts";
import { isTimeZone } from "../../lib/time-zone.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import type { SealedBox } from "../../platform/sealed-box.ts";
import { compileReadingSteps } from "../pipelines/reading-steps.service.ts";
import type { FeedStart } from "../telemetry/feeds.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { Principal } from "../users/users.types.ts";
import { checkTarget } from "./target-settings.ts";
import type { ChangeCursor } from "./uplink.protocol.ts";
import type { UplinkChangesRepository } from "./uplink-changes.repository.ts";
import type { UplinkFleet } from "./uplink-fleet.ts";
import { joinTarget, type Secrets, splitTarget, withKeptSecrets } from "./uplink-secrets.ts";
import { ensureAllDevices, nothingToSkip, tooManyUplinks, uplinkNotFound } from "./uplinks.errors.ts";
import type { UplinksRepository } from "./uplinks.repository.ts";
import type { TargetSettings, Uplink, UplinkOptions, VisibleUplink } from "./uplinks.types.ts";

const UPLINKS_MAX = 20;
const KEPT = { kept: true };

export type UplinkFields = { readonly [Name in keyof UplinkOptions]?: UplinkOptions[Name] | undefined } & {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly target?: unknown;
};

const defaults: Omit<UplinkOptions, "site"> = {
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
  /** Name of a tenant, which is the site unless given. */
  readonly nameOf: (tenantId: TenantId) => string;
  readonly clock: Clock;
}

/** Reads the secrets of an uplink. */
export const openSecrets = (box: SealedBox, { secrets }: Pick<Uplink, "secrets">): Secrets =>
  secrets === null ? {} : JSON.parse(box.open(secrets) ?? "{}");

/** Uplinks as people manage them. They send what all devices write, so they are for those who may see all devices. */
export function createUplinksService(deps: UplinksDeps) {
  const { repository, changes, fleet, feeds, box, nameOf, clock } = deps;

  function get(principal: Principal, uplinkId: string): Uplink {
    ensureAllDevices(principal);
    const uplink = repository.find(principal.tenantId, uplinkId);
    if (uplink === undefined) throw uplinkNotFound();
    return uplink;
  }

  function visible({ secrets, cursor: _, ...uplink }: Uplink): VisibleUplink {
    const report = fleet.reportOf(uplink.uplinkId);
    const { state, upToDateAt } = report;
    const since = upToDateAt === null ? null : Math.max(0, (clock.now() - upToDateAt) / 1_000);
    return {
      ...uplink,
      target: joinTarget({ target: uplink.target, secrets: openSecrets(box, { secrets }) }, () => KEPT),
      report,
      lagSeconds: state === "UP_TO_DATE" ? 0 : since,
      waitingPoints: state === "UP_TO_DATE" ? 0 : fleet.waitingOf(uplink.uplinkId),
    };
  }

  /** Checks the settings of a target; secrets that are kept come from what was stored. */
  function targetFrom(input: unknown, before: Uplink | undefined): TargetSettings {
    const stored = before && { target: before.target, secrets: openSecrets(box, before) };
    return checkTarget(withKeptSecrets(input, stored));
  }

  function stored(settings: TargetSettings): Pick<Uplink, "target" | "secrets"> {
    const { target, secrets } = splitTarget(settings);
    return { target, secrets: Object.keys(secrets).length === 0 ? null : box.seal(JSON.stringify(secrets)) };
  }

  function cursorFor(start: FeedStart): ChangeCursor {
    const newest = changes.newest();
    return start === "now"
      ? { ...newest, snapshot: null }
      : // Present attributes and all alarms that are kept.
        { ...newest, alarms: 0, snapshot: "" };
  }

  return {
    list(principal: Principal): VisibleUplink[] {
      ensureAllDevices(principal);
      return repository.list(principal.tenantId).map(visible);
    },
    get: (principal: Principal, uplinkId: string): VisibleUplink => visible(get(principal, uplinkId)),
    /** @throws DomainError `invalid` for settings that do not fit, `conflict` if there are too many. */
    async create(principal: Principal, fields: UplinkFields, start: FeedStart): Promise<VisibleUplink> {
      ensureAllDevices(principal);
      const { tenantId } = principal;
      if (repository.count(tenantId) >= UPLINKS_MAX) throw tooManyUplinks(UPLINKS_MAX);
      const now = clock.now();
      const options = { ...defaults, site: nameOf(tenantId), ...optionsOf(fields) };
      ensureOptions(options);
      const uplink: Uplink = {
        uplinkId: newId(),
        tenantId,
        name: fields.name ?? "",
        enabled: fields.enabled ?? true,
        ...stored(targetFrom(fields.target, undefined)),
        options,
        cursor: cursorFor(start),
        createdAt: now,
        updatedAt: now,
      };
      // Before the row: a feed without one is closed at the next start, and nothing is lost in between.
      await feeds.open(uplink.uplinkId, tenantId, start);
      repository.insert(uplink);
      await fleet.apply(uplink);
      return visible(uplink);
    },
    async update(principal: Principal, uplinkId: string, fields: UplinkFields): Promise<VisibleUplink> {
      const before = get(principal, uplinkId);
      const options = { ...before.options, ...optionsOf(fields) };
      ensureOptions(options);
      const uplink: Uplink = {
        ...before,
        name: fields.name ?? before.name,
        enabled: fields.enabled ?? before.enabled,
        ...(fields.target !== undefined && stored(targetFrom(fields.target, before))),
        options,
        updatedAt: clock.now(),
      };
      repository.update(uplink);
      await fleet.apply(uplink);
      return visible(uplink);
    },
    async delete(principal: Principal, uplinkId: string): Promise<void> {
      get(principal, uplinkId);
      repository.delete(uplinkId);
      await fleet.remove(uplinkId);
    },
    /** Connects to a target without storing anything. @throws DomainError what is wrong */
    async test(principal: Principal, target: unknown, uplinkId: string | undefined): Promise<void> {
      ensureAllDevices(principal);
      const before = uplinkId === undefined ? undefined : get(principal, uplinkId);
      const { tenantId } = principal;
      const now = clock.now();
      await fleet.check({
        uplinkId: `test-${newId()}`,
        tenantId,
        name: "",
        enabled: true,
        ...stored(targetFrom(target, before)),
        options: { ...defaults, site: nameOf(tenantId) },
        cursor: cursorFor("now"),
        createdAt: now,
        updatedAt: now,
      });
    },
    /** Sends what is stored within a closed range again. */
    async resend(principal: Principal, uplinkId: string, from: number, to: number): Promise<VisibleUplink> {
      const uplink = get(principal, uplinkId);
      await fleet.resend(uplinkId, from, to);
      return visible(uplink);
    },
    /** Leaves out the oldest batch, which the target refuses. */
    async skip(principal: Principal, uplinkId: string): Promise<VisibleUplink> {
      const uplink = get(principal, uplinkId);
      if (!fleet.reportOf(uplinkId).isRefused) throw nothingToSkip();
      await fleet.skip(uplinkId);
      return visible(uplink);
    },
  };
}

export type UplinksService = ReturnType<typeof createUplinksService>;

const optionNames = [
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
    optionNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}

/** @throws DomainError `invalid` */
function ensureOptions({ steps, window }: UplinkOptions): void {
  compileReadingSteps(steps);
  if (window !== null && !isTimeZone(window.timezone)) throw invalid("rule.timezone");
}
