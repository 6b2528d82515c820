import { ROTATION_DASHBOARDS_MAX } from "../../lib/dashboard-rotation.ts";
import { DomainError } from "../../lib/domain-error.ts";
import type { DeviceId, UserId } from "../../lib/ids.ts";
import { workShare } from "../../platform/fair-share.ts";
import type { TelemetryService } from "../telemetry/telemetry.service.ts";
import type { Principal } from "../users/users.types.ts";
import { aliasesOf, aliasOf, keysOf, widgetsOf } from "./dashboard-form.ts";
import type { Dashboard, Executed } from "./dashboards.resource.ts";
import type { DashboardsService } from "./dashboards.service.ts";
import type { Alias } from "./dashboards.types.ts";
import type { DashboardShare, NewShare, ShareRotation } from "./shares.types.ts";

export const sessionOf = (shareId: string) => `share:${shareId}`;

export const readerOf = ({ shareId, tenantId, name }: DashboardShare): Principal => ({
  userId: shareId as UserId, // stands for nobody
  email: name,
  tenantId,
  role: "TENANT_READ_ONLY",
  sessionId: sessionOf(shareId),
  canAcknowledgeAlarms: false,
  devices: "all",
});

/** Returns the content of a link: devices of the aliases that widgets name, and the keys that they name. */
function shownOf({ aliases, widgets }: Dashboard): { aliases: Alias[]; keys: ReadonlySet<string> } {
  const [all, parts] = [aliasesOf(aliases), widgetsOf(widgets)];
  const named = new Set(parts.map((widget) => aliasOf(all, widget)));
  return {
    aliases: all.filter((alias) => named.has(alias)),
    keys: new Set(parts.flatMap((widget) => keysOf(widget))),
  };
}

export const contextOf = ({ deviceId }: DashboardShare) => (deviceId === null ? {} : { deviceId });

export const dashboardIdsOf = ({ dashboardId, rotation }: DashboardShare) =>
  rotation?.dashboardIds ?? [dashboardId];

/** Returns the rotation that begins with the dashboard; null for that dashboard alone. */
export function rotationOf(dashboardId: string, rotation: NewShare["rotation"]): ShareRotation | null {
  const dashboardIds = [...new Set([dashboardId, ...(rotation?.dashboardIds ?? [])])];
  if (!rotation || dashboardIds.length === 1) return null;
  return { dashboardIds: dashboardIds.slice(0, ROTATION_DASHBOARDS_MAX), seconds: rotation.seconds };
}

/** Reads what links show, and nothing beyond it. */
export function createShareContent(deps: {
  dashboards: Pick<DashboardsService, "get" | "resolveAlias">;
  telemetry: Pick<TelemetryService, "resolveKeys">;
}) {
  const { dashboards, telemetry } = deps;

  /** Adds the keys that a dashboard shows of each of its devices. The others have their turn between two aliases. */
  async function addShown(
    keysOf: Map<DeviceId, ReadonlySet<string>>,
    share: DashboardShare,
    shown: Dashboard,
  ) {
    const { aliases, keys } = shownOf(shown);
    for (const alias of aliases) {
      await workShare.next();
      try {
        for (const { deviceId } of await dashboards.resolveAlias(readerOf(share), alias, contextOf(share)))
          keysOf.set(deviceId, keysOf.get(deviceId)?.union(keys) ?? keys);
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

  /** Returns the metadata of the keys that the widgets show. */
  function keyMetadataOf(share: DashboardShare, { dashboard, devices: resolved }: Executed) {
    const { keys } = shownOf(dashboard);
    const ids = Object.values(resolved).flatMap((all) => all.map(({ deviceId }) => deviceId));
    return telemetry.resolveKeys(readerOf(share), ids, keys);
  }

  return { listenerOf, asSeen, keyMetadataOf };
}
