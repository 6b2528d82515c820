import { setImmediate } from "node:timers/promises";
import { DomainError, forbidden, unauthenticated } from "../../lib/domain-error.ts";
import type { DeviceId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId, randomToken } from "../../platform/ids.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { TelemetryService } from "../telemetry/telemetry.service.ts";
import type { Principal } from "../users/users.types.ts";
import { aliasesOf, aliasOf, keysOf, widgetsOf } from "./dashboard-form.ts";
import { shareExpired, shareNotFound, sharesBusy, sharesLimit } from "./dashboards.errors.ts";
import type { DashboardsService } from "./dashboards.service.ts";
import type { Alias, Dashboard, Executed, ExecuteRequest } from "./dashboards.types.ts";
import type { SharesRepository } from "./shares.repository.ts";
import type { DashboardShare, NewShare } from "./shares.types.ts";

const SHARES_MAX = 50;
/** Requests of one link at the same time. Screens ask seldom, and a link that is widely known must not overload the gateway. */
const AT_ONCE_MAX = 8;
const TOKEN_PREFIX = "lss_";
/** Time for which the content of a link is cached, however often its readers ask. */
const KNOWN_MS = 5_000;

const sessionOf = (shareId: string) => `share:${shareId}`;

const shareEnded = () => unauthenticated("dashboard.share_ended");

const readerOf = ({ shareId, tenantId, name }: DashboardShare): Principal => ({
  userId: shareId as UserId, // stands for nobody
  email: name,
  tenantId,
  role: "TENANT_READ_ONLY",
  sessionId: sessionOf(shareId),
  canAcknowledgeAlarms: false,
  devices: "all",
});

/** Returns what a link shows: devices of the aliases that widgets name, and the keys that they name. */
function shownOf({ aliases, widgets }: Dashboard): { aliases: Alias[]; keys: ReadonlySet<string> } {
  const [all, parts] = [aliasesOf(aliases), widgetsOf(widgets)];
  const named = new Set(parts.map((widget) => aliasOf(all, widget)));
  return {
    aliases: all.filter((alias) => named.has(alias)),
    keys: new Set(parts.flatMap((widget) => keysOf(widget))),
  };
}

interface SharesServiceDeps {
  readonly repository: SharesRepository;
  readonly dashboards: Pick<DashboardsService, "get" | "execute" | "resolveAlias">;
  readonly devices: Pick<DevicesService, "get">;
  readonly telemetry: Pick<TelemetryService, "resolveKeys">;
  /** Closes the streams of a session. */
  readonly endSession: (sessionId: string) => void;
  readonly clock: Clock;
}

/** Read-only links to a dashboard. Only users who see all devices can create them, because a link shows the same whoever created it. */
export function createSharesService(deps: SharesServiceDeps) {
  const { repository, dashboards, devices, telemetry, clock } = deps;
  const running = new Map<string, number>();
  /** Keyed by link. */
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

  /** The others have their turn between two aliases. */
  async function listenerOf(share: DashboardShare): Promise<Principal> {
    const reader = readerOf(share);
    const dashboard = dashboards.get(reader, share.dashboardId);
    const { aliases, keys } = shownOf(dashboard);
    const ids = new Set<DeviceId>();
    for (const alias of aliases) {
      await setImmediate();
      try {
        for (const { deviceId } of dashboards.resolveAlias(reader, alias, contextOf(share)))
          ids.add(deviceId);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error; // it shows nothing in the dashboard either
      }
    }
    return { ...reader, devices: ids, shared: { keys, version: dashboard.updatedAt } };
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

  /** Returns the metadata of the keys that the widgets show. */
  function keyMetadataOf(share: DashboardShare, { dashboard, devices: resolved }: Executed) {
    const { keys } = shownOf(dashboard);
    const reader = { ...readerOf(share), shared: { keys, version: dashboard.updatedAt } };
    const ids = Object.values(resolved).flatMap((all) => all.map(({ deviceId }) => deviceId));
    return telemetry.resolveKeys(reader, ids);
  }

  const contextOf = ({ deviceId }: DashboardShare) => (deviceId === null ? {} : { deviceId });

  return {
    list(principal: Principal, dashboardId: string): DashboardShare[] {
      ensureMayShare(principal, dashboardId);
      return repository.list(dashboardId);
    },
    create(
      principal: Principal,
      dashboardId: string,
      { name = "", deviceId = null, expiresAt = null }: NewShare,
    ): DashboardShare {
      ensureMayShare(principal, dashboardId);
      if (expiresAt !== null && expiresAt <= clock.now()) throw shareExpired();
      if (repository.list(dashboardId).length >= SHARES_MAX) throw sharesLimit(SHARES_MAX);
      const share: DashboardShare = {
        shareId: newId(),
        tenantId: principal.tenantId,
        dashboardId,
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
      if (!repository.delete(dashboardId, shareId)) throw shareNotFound();
      existing.delete(shareId);
      deps.endSession(sessionOf(shareId));
    },
    /** @throws DomainError `unauthenticated`: the token opens nothing, or no longer. */
    async execute(token: string, request: Omit<ExecuteRequest, "context">) {
      const share = find(token);
      if (share === undefined) throw shareEnded();
      const { shareId, dashboardId } = share;
      const count = running.get(shareId) ?? 0;
      if (count >= AT_ONCE_MAX) throw sharesBusy();
      running.set(shareId, count + 1);
      try {
        const asked = { ...request, context: contextOf(share) };
        const executed = asSeen(await dashboards.execute(readerOf(share), dashboardId, asked));
        return { executed, keyMetadata: keyMetadataOf(share, executed) };
      } finally {
        const left = (running.get(shareId) ?? 1) - 1;
        if (left > 0) running.set(shareId, left);
        else running.delete(shareId);
      }
    },
    /**
     * Returns who listens by a link: sees the devices that the dashboard's widgets are about, and of them the keys that they
     * name. Undefined: no such link.
     */
    async authenticate(token: string): Promise<Principal | undefined> {
      const share = find(token);
      if (share === undefined) return undefined;
      const kept = existing.get(share.shareId);
      if (kept !== undefined && kept.until > clock.monotonic()) return kept.principal;
      const principal = listenerOf(share);
      existing.set(share.shareId, { until: clock.monotonic() + KNOWN_MS, principal });
      principal.catch(() => existing.delete(share.shareId));
      return principal;
    },
    /** The dashboard shows something else: what its links show is looked at anew. */
    changed(dashboardId: string): void {
      for (const { shareId } of repository.list(dashboardId)) existing.delete(shareId);
    },
    /** Ends all readers of the dashboard's links. */
    endAll(dashboardId: string): void {
      for (const { shareId } of repository.list(dashboardId)) {
        existing.delete(shareId);
        deps.endSession(sessionOf(shareId));
      }
    },
  };
}

export type SharesService = ReturnType<typeof createSharesService>;
