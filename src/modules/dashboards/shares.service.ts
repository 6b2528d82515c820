import { ROTATION_DASHBOARDS_MAX } from "../../lib/console/dashboard-rotation.ts";
import { DomainError, forbidden, unauthenticated } from "../../lib/core/domain-error.ts";
import type { DeviceId, UserId } from "../../lib/core/ids.ts";
import { newId, randomToken } from "../../platform/core/ids.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TelemetryService } from "../telemetry/telemetry.service.ts";
import type { Principal } from "../users/users.types.ts";
import { aliasesOf, aliasOf, keysOf, widgetsOf } from "./dashboard-form.ts";
import {
  dashboardNotFound,
  shareExpired,
  shareNotFound,
  sharesBusy,
  sharesLimit,
} from "./dashboards.errors.ts";
import type { Dashboard, Executed } from "./dashboards.resource.ts";
import type { DashboardsService } from "./dashboards.service.ts";
import type { Alias, ExecuteRequest, ResponseRoom } from "./dashboards.types.ts";
import type { SharesRepository } from "./shares.repository.ts";
import type { DashboardShare, NewShare, ShareRotation } from "./shares.types.ts";

/** Current content of a link. */
export interface SharedContent {
  readonly executed: Executed;
  readonly keyMetadata: ReturnType<TelemetryService["resolveKeys"]>;
  readonly rotation: ShareRotation | null;
}

const sessionOf = (shareId: string) => `share:${shareId}`;

const readerOf = ({ shareId, tenantId, name }: DashboardShare): Principal => ({
  userId: shareId as UserId, // stands for nobody
  email: name,
  tenantId,
  role: "TENANT_READ_ONLY",
  sessionId: sessionOf(shareId),
  canAcknowledgeAlarms: false,
  devices: "all",
});

/** Returns the content of a link: devices of the widgets' aliases, and the widgets' keys. */
function shownOf({ aliases, widgets }: Dashboard): { aliases: Alias[]; keys: ReadonlySet<string> } {
  const [all, parts] = [aliasesOf(aliases), widgetsOf(widgets)];
  const named = new Set(parts.map((widget) => aliasOf(all, widget)));
  return {
    aliases: all.filter((alias) => named.has(alias)),
    keys: new Set(parts.flatMap((widget) => keysOf(widget))),
  };
}

const contextOf = ({ deviceId }: DashboardShare) => (deviceId === null ? {} : { deviceId });

const dashboardIdsOf = ({ dashboardId, rotation }: DashboardShare) => rotation?.dashboardIds ?? [dashboardId];

/** Returns the rotation that starts with the dashboard; null for a single dashboard. */
function rotationOf(dashboardId: string, rotation: NewShare["rotation"]): ShareRotation | null {
  const dashboardIds = [...new Set([dashboardId, ...(rotation?.dashboardIds ?? [])])];
  if (!rotation || dashboardIds.length === 1) return null;
  return { dashboardIds: dashboardIds.slice(0, ROTATION_DASHBOARDS_MAX), seconds: rotation.seconds };
}

/** Creates the reader of links' content, which is limited to what the links show. */
function createShareContent(deps: {
  dashboards: Pick<DashboardsService, "get" | "resolveAlias">;
  telemetry: Pick<TelemetryService, "resolveKeys">;
}) {
  const { dashboards, telemetry } = deps;

  /** Adds the keys that a dashboard shows of each of its devices, letting other work run between two aliases. */
  async function addShown(
    keysOf: Map<DeviceId, ReadonlySet<string>>,
    share: DashboardShare,
    shown: Dashboard,
  ) {
    const { aliases, keys } = shownOf(shown);
    /** Keys of a device on earlier dashboards → their union with this dashboard's keys; shared by the devices. */
    const unions = new Map<ReadonlySet<string> | undefined, ReadonlySet<string>>([[undefined, keys]]);
    for (const alias of aliases) {
      await workShare.next();
      try {
        for (const { deviceId } of await dashboards.resolveAlias(readerOf(share), alias, contextOf(share))) {
          const before = keysOf.get(deviceId);
          const union = unions.get(before) ?? before?.union(keys) ?? keys;
          keysOf.set(deviceId, union);
          unions.set(before, union).set(union, union);
        }
      } catch (error) {
        if (!(error instanceof DomainError)) throw error; // it shows nothing in the dashboard either
      }
    }
  }

  /** Returns the principal of the link's live connection. */
  async function listenerOf(share: DashboardShare): Promise<Principal> {
    const reader = readerOf(share);
    const shown = dashboardIdsOf(share).map((id) => dashboards.get(reader, id));
    const keysOf = new Map<DeviceId, ReadonlySet<string>>();
    for (const dashboard of shown) await addShown(keysOf, share, dashboard);
    const version = shown.map(({ id, updatedAt }) => `${id} ${updatedAt}`).join();
    return { ...reader, devices: new Set(keysOf.keys()), shared: { keysOf, version } };
  }

  /** Removes everything that no widget shows, and alarms of other devices. */
  function asSeen({ dashboard, devices: resolved, data, timeWindow }: Executed): Executed {
    const { aliases } = shownOf(dashboard);
    const shown = Object.fromEntries(aliases.map(({ id }) => [id, resolved[id] ?? []]));
    const ids = new Set(Object.values(shown).flatMap((all) => all.map(({ deviceId }) => deviceId)));
    const seen = Object.entries(data).map(([id, part]) => [
      id,
      part.alarms === undefined
        ? part
        : { ...part, alarms: part.alarms.filter(({ deviceId }) => ids.has(deviceId)) },
    ]);
    return { dashboard, timeWindow, devices: shown, data: Object.fromEntries(seen) };
  }

  /** Returns the metadata of the widgets' keys. */
  function keyMetadataOf(share: DashboardShare, { dashboard, devices: resolved }: Executed) {
    const { keys } = shownOf(dashboard);
    const ids = Object.values(resolved).flatMap((all) => all.map(({ deviceId }) => deviceId));
    return telemetry.resolveKeys(readerOf(share), ids, keys);
  }

  return { listenerOf, asSeen, keyMetadataOf };
}

const SHARES_MAX = 50;
/**
 * Max. simultaneous requests per link, until their responses have been read. Screens send few requests, and a widely shared link must not overload
 * the gateway.
 */
export const SHARE_REQUESTS_MAX = 8;
const TOKEN_PREFIX = "lss_";
/** Time for which the content of a link is cached. */
const KNOWN_MS = 5_000;

const shareEnded = () => unauthenticated("dashboard.share_ended");

/** Number of requests by link. */
class RunningRequests {
  readonly #counts = new Map<string, number>();

  /** Starts a request. Returns a function that ends it. @throws DomainError `dashboard.share_busy` */
  begin(shareId: string): () => void {
    const count = this.#counts.get(shareId) ?? 0;
    if (count >= SHARE_REQUESTS_MAX) throw sharesBusy();
    this.#counts.set(shareId, count + 1);
    return () => {
      const left = (this.#counts.get(shareId) ?? 1) - 1;
      if (left > 0) this.#counts.set(shareId, left);
      else this.#counts.delete(shareId);
    };
  }
}

interface SharesServiceDeps {
  readonly repository: SharesRepository;
  readonly dashboards: Pick<DashboardsService, "get" | "execute" | "resolveAlias">;
  readonly devices: Pick<DevicesService, "get">;
  readonly telemetry: Pick<TelemetryService, "resolveKeys">;
  /** Closes the streams of a session; `isChanged` if the client may reconnect to changed content. */
  readonly endSession: (sessionId: string, isChanged?: boolean) => void;
  readonly clock: Clock;
}

/**
 * Creates the service for read-only links to dashboards. Only users who see all devices can create them, because a link's content does not depend on
 * its creator.
 */
export function createSharesService(deps: SharesServiceDeps) {
  const { repository, dashboards, devices, clock } = deps;
  const content = createShareContent(deps);
  const running = new RunningRequests();
  /** Cached principals by link. */
  const existing = new Map<string, { until: number; principal: Promise<Principal> }>();

  function ensureMayShare(principal: Principal, dashboardId: string): void {
    dashboards.get(principal, dashboardId);
    if (principal.devices !== "all") throw forbidden("dashboard.share_forbidden");
  }

  function find(token: string): DashboardShare | undefined {
    const share = token.startsWith(TOKEN_PREFIX) ? repository.findByToken(token) : undefined;
    return share === undefined || (share.expiresAt !== null && share.expiresAt <= clock.now())
      ? undefined
      : share;
  }

  /** Removes a dashboard from the rotation of a link, whose readers reconnect. */
  function dropDashboard(share: DashboardShare, { dashboardIds, seconds }: ShareRotation, id: string): void {
    const [first = "", ...others] = dashboardIds.filter((dashboardId) => dashboardId !== id);
    const rotation = rotationOf(first, { dashboardIds: others, seconds });
    repository.setDashboards({ ...share, dashboardId: first, rotation });
    existing.delete(share.shareId);
    deps.endSession(sessionOf(share.shareId), true);
  }

  return {
    list(principal: Principal, dashboardId: string): DashboardShare[] {
      ensureMayShare(principal, dashboardId);
      return repository.list(dashboardId);
    },
    create(
      principal: Principal,
      dashboardId: string,
      { name = "", deviceId = null, expiresAt = null, ...input }: NewShare,
    ): DashboardShare {
      ensureMayShare(principal, dashboardId);
      if (expiresAt !== null && expiresAt <= clock.now()) throw shareExpired();
      const rotation = rotationOf(dashboardId, input.rotation);
      for (const id of rotation?.dashboardIds ?? [dashboardId]) {
        dashboards.get(principal, id);
        if (repository.list(id).length >= SHARES_MAX) throw sharesLimit(SHARES_MAX);
      }
      const share: DashboardShare = {
        shareId: newId(),
        tenantId: principal.tenantId,
        dashboardId,
        rotation,
        token: TOKEN_PREFIX + randomToken(32),
        name,
        deviceId: deviceId === null ? null : devices.get(principal, deviceId).deviceId,
        createdBy: principal.email,
        createdAt: clock.now(),
        expiresAt,
      };
      repository.insert(share);
      return share;
    },
    delete(principal: Principal, dashboardId: string, shareId: string): void {
      ensureMayShare(principal, dashboardId);
      const share = repository.list(dashboardId).find((candidate) => candidate.shareId === shareId);
      if (share === undefined) throw shareNotFound();
      const { rotation } = share;
      if (share.dashboardId !== dashboardId && rotation !== null) {
        dropDashboard(share, rotation, dashboardId);
        return;
      }
      repository.delete(shareId);
      existing.delete(shareId);
      deps.endSession(sessionOf(shareId));
    },
    /**
     * Starts a request for the first dashboard of a link, or another dashboard of its rotation. The caller ends it with `atEnd` when the response
     * has been read.
     * @throws DomainError `unauthenticated` for an invalid or expired token
     */
    execute(
      token: string,
      {
        dashboardId,
        ...request
      }: Omit<ExecuteRequest, "context" | "room"> & { readonly dashboardId?: string | undefined },
    ) {
      const share = find(token);
      if (share === undefined) throw shareEnded();
      const { shareId, rotation } = share;
      const shownId = dashboardId ?? share.dashboardId;
      if (!dashboardIdsOf(share).includes(shownId)) throw dashboardNotFound();
      return {
        tenantId: share.tenantId,
        atEnd: running.begin(shareId),
        async read(room: ResponseRoom): Promise<SharedContent> {
          const asked = { ...request, context: contextOf(share), room };
          const executed = content.asSeen(await dashboards.execute(readerOf(share), shownId, asked));
          return { executed, keyMetadata: content.keyMetadataOf(share, executed), rotation };
        },
      };
    },
    /**
     * Returns the principal for a link's live data: it sees the devices of the dashboards' widgets, and of each device the keys of those widgets.
     * Undefined if the link does not exist.
     */
    async authenticate(token: string): Promise<Principal | undefined> {
      const share = find(token);
      if (share === undefined) return undefined;
      const kept = existing.get(share.shareId);
      if (kept !== undefined && kept.until > clock.monotonic()) return kept.principal;
      const principal = content.listenerOf(share);
      existing.set(share.shareId, { until: clock.monotonic() + KNOWN_MS, principal });
      principal.catch(() => existing.delete(share.shareId));
      return principal;
    },
    /** Disconnects readers of a changed dashboard's links, so that they no longer receive its previous content. */
    changed(dashboardId: string): void {
      for (const { shareId } of repository.list(dashboardId)) {
        existing.delete(shareId);
        deps.endSession(sessionOf(shareId), true);
      }
    },
    /** Disconnects all readers of the dashboard's links. Rotations continue without it. */
    endAll(dashboardId: string): void {
      for (const share of repository.list(dashboardId)) {
        const { shareId, rotation } = share;
        if (rotation !== null) {
          dropDashboard(share, rotation, dashboardId);
          continue;
        }
        existing.delete(shareId);
        deps.endSession(sessionOf(shareId));
      }
    },
  };
}

export type SharesService = ReturnType<typeof createSharesService>;
