import { DomainError, forbidden } from "../../lib/domain-error.ts";
import type { UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId, randomToken } from "../../platform/ids.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { Principal } from "../users/users.types.ts";
import { aliasesOf, widgetsOf } from "./dashboard-form.ts";
import { shareExpired, shareNotFound, sharesBusy, sharesLimit } from "./dashboards.errors.ts";
import type { DashboardsService } from "./dashboards.service.ts";
import type { Executed, ExecuteRequest, Widget } from "./dashboards.types.ts";
import type { SharesRepository } from "./shares.repository.ts";
import type { DashboardShare, NewShare } from "./shares.types.ts";

const SHARES_MAX = 50;
/** Of one link: screens ask seldom, and a link that went around the world is not to take the gateway along. */
const AT_ONCE_MAX = 8;
const TOKEN_PREFIX = "lss_";

/** Read-only links to a dashboard. Only those who see all devices make them: what a link shows is not limited by who made it. */
export interface SharesService {
  list(principal: Principal, dashboardId: string): DashboardShare[];
  create(principal: Principal, dashboardId: string, given: NewShare): DashboardShare;
  delete(principal: Principal, dashboardId: string, shareId: string): void;
  /** @throws DomainError `unauthenticated`: the token opens nothing, or no longer. */
  execute(token: string, request: Omit<ExecuteRequest, "context">): Promise<Executed>;
  /** Who listens by a link: sees the dashboard's devices, and of them what its widgets name. Undefined: no such link. */
  authenticate(token: string): Principal | undefined;
}

const shareEnded = () =>
  new DomainError("unauthenticated", "dashboard.share_ended", "This link is not valid, or no longer.");

/** What widgets name; undefined: one of them shows whatever comes. */
function keysShown(widgets: readonly Widget[]): ReadonlySet<string> | undefined {
  const keys = new Set<string>();
  for (const { type, config } of widgets) {
    if (type === "markdown" || type === "alarmList" || type === "commandButton") continue;
    const named = [config.keys, config.key].flat().filter((key) => typeof key === "string" && key !== "");
    if (named.length === 0) return undefined;
    for (const key of named) keys.add(String(key));
  }
  return keys;
}

export function createSharesService(deps: {
  repository: SharesRepository;
  dashboards: Pick<DashboardsService, "get" | "execute" | "resolveAlias">;
  devices: Pick<DevicesService, "get">;
  clock: Clock;
}): SharesService {
  const { repository, dashboards, devices, clock } = deps;
  const running = new Map<string, number>();

  function ensureMayShare(principal: Principal, dashboardId: string): void {
    dashboards.get(principal, dashboardId);
    if (principal.devices !== "all")
      throw forbidden(
        "dashboard.share_forbidden",
        "Only those who see all devices see and make links to a dashboard.",
      );
  }

  function find(token: string): DashboardShare | undefined {
    const share = token.startsWith(TOKEN_PREFIX) ? repository.findByToken(token) : undefined;
    return share === undefined || (share.expiresAt !== null && share.expiresAt <= clock.now())
      ? undefined
      : share;
  }

  const readerOf = ({ shareId, tenantId, name }: DashboardShare): Principal => ({
    userId: shareId as UserId, // stands for nobody
    email: name,
    tenantId,
    role: "TENANT_READ_ONLY",
    sessionId: `share:${shareId}`,
    canAcknowledgeAlarms: false,
    devices: "all",
  });

  const contextOf = ({ deviceId }: DashboardShare) => (deviceId === null ? {} : { deviceId });

  return {
    list(principal, dashboardId) {
      ensureMayShare(principal, dashboardId);
      return repository.list(dashboardId);
    },
    create(principal, dashboardId, { name = "", deviceId = null, expiresAt = null }) {
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
    delete(principal, dashboardId, shareId) {
      ensureMayShare(principal, dashboardId);
      if (!repository.delete(dashboardId, shareId)) throw shareNotFound();
    },
    async execute(token, request) {
      const share = find(token);
      if (share === undefined) throw shareEnded();
      const { shareId, dashboardId } = share;
      const count = running.get(shareId) ?? 0;
      if (count >= AT_ONCE_MAX) throw sharesBusy();
      running.set(shareId, count + 1);
      try {
        return await dashboards.execute(readerOf(share), dashboardId, {
          ...request,
          context: contextOf(share),
        });
      } finally {
        const left = (running.get(shareId) ?? 1) - 1;
        if (left > 0) running.set(shareId, left);
        else running.delete(shareId);
      }
    },
    authenticate(token) {
      const share = find(token);
      if (share === undefined) return undefined;
      const reader = readerOf(share);
      const dashboard = dashboards.get(reader, share.dashboardId);
      const ids = aliasesOf(dashboard.aliases).flatMap((alias) => {
        try {
          return dashboards.resolveAlias(reader, alias, contextOf(share)).map(({ deviceId }) => deviceId);
        } catch (error) {
          if (error instanceof DomainError) return []; // it shows nothing in the dashboard either
          throw error;
        }
      });
      const keys = keysShown(widgetsOf(dashboard.widgets));
      return {
        ...reader,
        // Another one once the dashboard shows something else.
        sessionId: `${reader.sessionId}:${dashboard.updatedAt}`,
        devices: new Set(ids),
        shared: { keys },
      };
    },
  };
}
