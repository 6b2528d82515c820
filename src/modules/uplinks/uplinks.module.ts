import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId, UserId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import { FolderCheck } from "../../platform/files/folder-check.ts";
import { createSealedBox } from "../../platform/secrets/sealed-box.ts";
import type { CommandsModule } from "../commands/commands.module.ts";
import type { CommandsService } from "../commands/commands.service.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import type { Core } from "../module.types.ts";
import type { OutboundModule } from "../outbound/outbound.module.ts";
import type { SettingsModule } from "../settings/settings.module.ts";
import type { StorageModule } from "../telemetry/storage.module.ts";
import type { TenantsModule } from "../tenants/tenants.module.ts";
import type { Principal } from "../users/users.types.ts";
import type { TargetSettings } from "./targets/targets.schemas.ts";
import { UplinkChangesRepository } from "./uplink-changes.repository.ts";
import { UplinkFleet } from "./uplink-fleet.ts";
import { joinTarget } from "./uplink-secrets.ts";
import { createUplinksRepository } from "./uplinks.repository.ts";
import type { Uplink } from "./uplinks.resource.ts";
import { uplinksRoutes } from "./uplinks.routes.ts";
import { openSecrets, UplinksService } from "./uplinks.service.ts";

/** Max. wait of a target for a device's response, in ms. */
const COMMAND_WAIT_MS = 30_000;

/** Returns the principal of an uplink, for commands from its target. */
const principalOf = ({ uplinkId, tenantId, name }: Uplink): Principal => ({
  userId: uplinkId as UserId, // not a user: unknown to audit log and access control
  email: `uplink: ${name}`,
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: "all",
});

/** Creates a function that reports problems of an uplink. */
const faultReporter =
  (events: Core["events"]) =>
  ({ uplinkId, tenantId, name }: Uplink, fault: Text): void => {
    const subject = { kind: "uplink", id: uplinkId, name } as const;
    events.emit("fault.occurred", { ...fault, source: "uplink", tenantId, subject });
  };

/** Returns a function that runs a command from a target and waits for the device's response. */
const commandRunner =
  (commands: CommandsService): ConstructorParameters<typeof UplinkFleet>[0]["command"] =>
  async (uplink, { deviceId, method, params }) => {
    const request = { command: { method, params } };
    const { status, response, error } = await commands.create(
      principalOf(uplink),
      deviceId,
      request,
      COMMAND_WAIT_MS,
    );
    if (status === "SUCCESSFUL") return response;
    throw new DomainError("unavailable", detail("uplink.command_failed", { reason: error ?? status }));
  };

/** Creates the uplinks, which send stored data to other engines. */
export function createUplinksModule(
  { responses, database, data, clock, events, health, log: root }: Core,
  modules: {
    readonly commands: CommandsModule;
    readonly outbound: OutboundModule;
    readonly settings: SettingsModule;
    readonly storage: StorageModule;
    readonly tenants: TenantsModule;
  },
) {
  const { commands } = modules.commands;
  const { reach } = modules.outbound;
  const { settings } = modules.settings;
  const { store } = modules.storage;
  const { tenants } = modules.tenants;
  const log = root.child("uplinks");
  const repository = createUplinksRepository(database, clock);
  const changes = new UplinkChangesRepository(database);
  const box = createSealedBox(data.secret("outbound.key", 32), "uplinks");
  const fleet = new UplinkFleet({
    repository,
    changes,
    store,
    targetOf: (uplink) =>
      joinTarget(
        { target: uplink.target, secrets: openSecrets(box, uplink) },
        (secret) => secret,
      ) as unknown as TargetSettings, // checked when they were stored
    reach,
    command: commandRunner(commands),
    settings,
    onFault: faultReporter(events),
    clock,
    log,
  });
  health.add(() => fleet.problem());
  const uplinks = new UplinksService({
    repository,
    changes,
    fleet,
    feeds: store.feeds,
    box,
    tenants,
    folders: new FolderCheck(data.path),
    events,
    clock,
  });
  const record = (
    { tenantId, deviceId }: { tenantId: TenantId; deviceId: DeviceId },
    change: "created" | "updated" | "deleted",
  ) => {
    fleet.forgetDevices([deviceId]);
    if (!repository.hasAny(tenantId)) return;
    const { name, deviceType } = changes.find(deviceId) ?? { name: deviceId, deviceType: "" };
    changes.recordDevice({ tenantId, deviceId, change, name, deviceType, at: clock.now() });
    fleet.wake();
  };
  events.on("device.created", (event) => record(event, "created"));
  events.on("device.updated", (event) => record(event, "updated"));
  events.on("device.deleted", (event) => record(event, "deleted"));
  events.on("attributes.changed", () => fleet.wake());
  events.on("alarm.changed", () => fleet.wake());
  events.on("tenant.deleted", ({ tenantId }) => void fleet.endTenant(tenantId));
  return {
    totals: () => fleet.totals(),
    routes: (auth: AuthPlugin) => [uplinksRoutes({ uplinks, responses, auth })],
    parts: [{ name: "uplinks", start: () => fleet.start(), stop: () => fleet.stop() }],
  };
}

export type UplinksModule = ReturnType<typeof createUplinksModule>;
