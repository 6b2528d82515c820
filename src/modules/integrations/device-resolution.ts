import { DomainError, detail, invalid } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { NewDevice } from "../devices/devices.types.ts";
import type { DomainEvents } from "../events.types.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { DeviceIdentities } from "./device-identities.repository.ts";
import { integrationPrincipal } from "./integration-principal.ts";
import type { DeviceReference, Integration, IntegrationSettings } from "./integrations.types.ts";
import { EXTERNAL_ID_KEY } from "./integrations.types.ts";

const NAME_CHARACTERS_MAX = 256;
const TYPE_CHARACTERS_MAX = 128;
const ID_CHARACTERS_MAX = 256;
/** Known ones that are kept at hand. */
const CACHED_MAX = 100_000;
/** Devices that an integration makes: a whole site at once, and no flood of invented ones. */
const CREATION_RATE = { perSecond: 20, burst: 2_000 };

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const controlCharacters = /[\u0000-\u001f\u007f]/g;
const asText = (text: string, charactersMax: number) =>
  text.toWellFormed().replace(controlCharacters, " ").trim().slice(0, charactersMax);

const unknownDevice = (device: Text | string) => invalid("integration.device_unknown", { device });
const noReference = () => invalid("integration.device_missing");

export interface ResolvedDevice {
  readonly device: IngestDevice;
  readonly isNew: boolean;
}

/** Finds the device that sent a message. */
export function createDeviceResolution(deps: {
  identities: DeviceIdentities;
  directory: DeviceDirectory;
  devices: Pick<DevicesService, "findNamed" | "createMany" | "children">;
  profiles: Pick<ProfilesService, "forType">;
  saveServer: (deviceId: DeviceId, key: string, value: string) => void;
  clock: Pick<Clock, "monotonic">;
  events: EventBus<DomainEvents>;
}) {
  const { identities, directory, devices, clock } = deps;
  /** Devices by tenant and what a network calls them. */
  const existing = new Map<string, IngestDevice>();
  /** Holds what each integration made, by its id. */
  const creationRates = new Map<string, RateMeter>();

  deps.events.on("device.updated", () => existing.clear());
  deps.events.on("device.deleted", () => existing.clear());
  deps.events.on("attributes.changed", ({ scope, values, deleted }) => {
    const isIdentity = (key: string) => key.startsWith("integration.");
    if (scope === "SERVER" && (Object.keys(values).some(isIdentity) || deleted.some(isIdentity)))
      existing.clear();
  });

  function cached(key: string, find: () => DeviceId | undefined): IngestDevice | undefined {
    const before = existing.get(key);
    if (before?.revoked === false) return before;
    const deviceId = find();
    const device = deviceId && directory.find(deviceId);
    if (device === undefined) return undefined;
    if (existing.size >= CACHED_MAX) existing.clear();
    existing.set(key, device);
    return device;
  }

  function byExternalId(tenantId: TenantId, externalId: string): DeviceId | undefined {
    const marked = identities.findByExternalId(tenantId, externalId);
    if (marked !== undefined) return marked;
    const own = directory.find(externalId as DeviceId); // a wrong id is simply not found
    if (own?.tenantId === tenantId) return own.deviceId;
    const [named, second] = devices.findNamed(tenantId, externalId);
    return second === undefined ? named?.deviceId : undefined;
  }

  function ensureShort({ externalId = "", childId = "" }: DeviceReference): void {
    if (Math.max(externalId.length, childId.length) > ID_CHARACTERS_MAX)
      throw invalid("integration.device_id_long", { max: ID_CHARACTERS_MAX });
  }

  /** Without its child; undefined for one that is not known. */
  function find(
    tenantId: TenantId,
    { deviceToken, devEui, externalId }: DeviceReference,
  ): IngestDevice | undefined {
    if (deviceToken !== undefined) {
      const device = directory.findByToken(deviceToken);
      if (device?.tenantId !== tenantId) throw invalid("integration.device_token_invalid");
      return device;
    }
    if (devEui !== undefined)
      return cached(`${tenantId}\neui\n${devEui}`, () => identities.findByDevEui(tenantId, devEui));
    if (externalId !== undefined)
      return cached(`${tenantId}\nid\n${externalId}`, () => byExternalId(tenantId, externalId));
    throw noReference();
  }

  function ensureMayCreate(integrationId: string): void {
    let meter = creationRates.get(integrationId);
    if (meter === undefined) {
      meter = new RateMeter();
      Object.assign(meter, CREATION_RATE);
      creationRates.set(integrationId, meter);
    }
    if (meter.take(clock.monotonic()) > 0) throw invalid("integration.devices_flood");
  }

  function create(
    integration: Integration,
    settings: IntegrationSettings,
    reference: DeviceReference,
  ): IngestDevice {
    const { devEui, externalId } = reference;
    const id = externalId ?? devEui ?? "";
    ensureMayCreate(integration.integrationId);
    const wanted = asText(reference.name ?? id, NAME_CHARACTERS_MAX) || id;
    const isTaken = devices.findNamed(integration.tenantId, wanted).length > 0;
    const deviceType = asText(settings.deviceType ?? reference.type ?? "", TYPE_CHARACTERS_MAX) || "default";
    const profileId = settings.profileId ?? deps.profiles.forType(integration.tenantId, deviceType).profileId;
    const device: NewDevice = {
      name: isTaken ? asText(`${wanted.slice(0, 180)} ${id}`, NAME_CHARACTERS_MAX) : wanted,
      deviceType,
      profileId,
      ...(devEui !== undefined && { lorawanDevEui: devEui }),
    };
    const [created] = devices.createMany(integrationPrincipal(integration), [device], ({ deviceId }) => {
      if (externalId !== undefined) deps.saveServer(deviceId, EXTERNAL_ID_KEY, externalId);
    });
    const found = created && directory.find(created.deviceId);
    if (found === undefined) throw unknownDevice(id); // deleted in the same moment
    return found;
  }

  function childOf(gateway: IngestDevice, childId: string, mayCreate: boolean): IngestDevice | undefined {
    if (gateway.role !== "GATEWAY") throw invalid("integration.no_gateway", { name: excerpt(gateway.name) });
    const own = directory.find(childId as DeviceId); // a wrong id is simply not found
    if (own?.parentDeviceId === gateway.deviceId) return own;
    if (!mayCreate) {
      const id = devices.children.findChild(gateway, childId);
      return id && directory.find(id);
    }
    const [child] = devices.children.ensureChildren(gateway, [{ name: childId }]);
    if (child instanceof DomainError) throw child;
    return child && directory.find(child);
  }

  const describe = ({ devEui, externalId }: DeviceReference) =>
    devEui === undefined
      ? detail("device_reference.external_id", { externalId: excerpt(externalId ?? "") })
      : detail("device_reference.dev_eui", { devEui });

  return {
    /** Makes the device where the integration does so. @throws DomainError: `invalid` for one that is not to be had. */
    resolve(
      integration: Integration,
      settings: IntegrationSettings,
      reference: DeviceReference,
    ): ResolvedDevice {
      ensureShort(reference);
      const found = find(integration.tenantId, reference);
      if (found === undefined && settings.autoCreateDevice !== true) throw unknownDevice(describe(reference));
      const device = found ?? create(integration, settings, reference);
      const isNew = found === undefined;
      if (reference.childId === undefined) return { device, isNew };
      const child = childOf(device, reference.childId, true);
      if (child === undefined)
        throw unknownDevice(detail("device_reference.child", { childId: excerpt(reference.childId) }));
      return { device: child, isNew };
    },
    /** The same without making one: undefined where it would be made. */
    preview(
      { tenantId }: Pick<Integration, "tenantId">,
      settings: IntegrationSettings,
      reference: DeviceReference,
    ): IngestDevice | undefined {
      ensureShort(reference);
      const found = find(tenantId, reference);
      if (found === undefined && settings.autoCreateDevice !== true) throw unknownDevice(describe(reference));
      return found === undefined || reference.childId === undefined
        ? found
        : childOf(found, reference.childId, false);
    },
  };
}

export type DeviceResolution = ReturnType<typeof createDeviceResolution>;
