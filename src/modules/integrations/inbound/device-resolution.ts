import { DomainError, detail, invalid } from "../../../lib/core/domain-error.ts";
import type { DeviceId, ProfileId } from "../../../lib/core/ids.ts";
import { RateMeter } from "../../../lib/data/rate-meter.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { EventBus } from "../../../platform/core/event-bus.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { DeviceDirectory } from "../../devices/device-directory.ts";
import type { DevicesService } from "../../devices/devices.service.ts";
import type { NewDevice } from "../../devices/devices.types.ts";
import type { DomainEvents } from "../../events.types.ts";
import type { IngestDevice } from "../../ingest/ingest.types.ts";
import type { ProfilesService } from "../../profiles/profiles.service.ts";
import { integrationPrincipal } from "../integration-principal.ts";
import type { Integration } from "../integrations.resource.ts";
import type { DeviceReference, IntegrationSettings } from "../integrations.types.ts";
import { ADDRESS_KEY, EXTERNAL_ID_KEY, OWNER_KEY } from "../integrations.types.ts";
import type { DeviceIdentities, IdentifiedDevice } from "./device-identities.repository.ts";

const NAME_CHARACTERS_MAX = 256;
const TYPE_CHARACTERS_MAX = 128;
const ID_CHARACTERS_MAX = 256;
/** Max. cached devices. */
const CACHED_MAX = 100_000;
/** Rate at which an integration creates devices: enough for a burst of a whole site, too low for a flood of invented devices. */
const CREATION_RATE = { perSecond: 20, burst: 2_000 };

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;
const asText = (text: string, charactersMax: number) =>
  text.toWellFormed().replace(CONTROL_CHARACTERS, " ").trim().slice(0, charactersMax);

const unknownDevice = (device: Text | string) => invalid("integration.device_unknown", { device });
const noReference = () => invalid("integration.device_missing");

type ResolvingIntegration = Pick<Integration, "tenantId" | "integrationId">;

export interface ResolvedDevice {
  readonly device: IngestDevice;
  readonly isNew: boolean;
}

const describe = ({ devEui, externalId }: DeviceReference): Text =>
  devEui === undefined
    ? detail("device_reference.external_id", { externalId: excerpt(externalId ?? "") })
    : detail("device_reference.dev_eui", { devEui });

function ensureShort({ externalId = "", childId = "" }: DeviceReference): void {
  if (Math.max(externalId.length, childId.length) > ID_CHARACTERS_MAX)
    throw invalid("integration.device_id_long", { max: ID_CHARACTERS_MAX });
}

interface DeviceResolutionDeps {
  readonly identities: DeviceIdentities;
  readonly directory: DeviceDirectory;
  readonly devices: Pick<DevicesService, "findNamed" | "createMany" | "children">;
  readonly profiles: Pick<ProfilesService, "forType" | "findNamed" | "createNamed">;
  readonly saveServer: (deviceId: DeviceId, key: string, value: string) => void;
  readonly clock: Pick<Clock, "monotonic">;
  readonly events: EventBus<DomainEvents>;
}

/** Finds the device that sent a message. */
export class DeviceResolution {
  readonly #deps: DeviceResolutionDeps;
  /** Devices by tenant and their names in a network. */
  readonly #cache = new Map<string, IngestDevice>();
  /** Rate at which each integration creates devices, by its id. */
  readonly #creationRates = new Map<string, RateMeter>();

  constructor(deps: DeviceResolutionDeps) {
    this.#deps = deps;
  }

  /** Empties the cache when devices may have been renamed. The module calls it once. */
  subscribe(): void {
    const { events } = this.#deps;
    const isIdentity = (key: string) => key.startsWith("integration.");
    events.on("device.updated", () => this.#cache.clear());
    events.on("device.deleted", () => this.#cache.clear());
    events.on("attributes.changed", ({ scope, values, deleted }) => {
      if (scope === "SERVER" && (Object.keys(values).some(isIdentity) || deleted.some(isIdentity)))
        this.#cache.clear();
    });
  }

  /** Returns the device. Creates it if the integration creates devices. @throws DomainError `invalid` if there is no such device */
  resolve(
    integration: Integration,
    settings: IntegrationSettings,
    reference: DeviceReference,
  ): ResolvedDevice {
    const found = this.#findOrRefuse(integration, settings, reference);
    if (found !== undefined) this.#follow(found, reference);
    const device = found ?? this.#create(integration, settings, reference);
    const isNew = found === undefined;
    if (reference.childId === undefined) return { device, isNew };
    const child = this.#childOf(device, reference.childId, true);
    if (child === undefined)
      throw unknownDevice(detail("device_reference.child", { childId: excerpt(reference.childId) }));
    return { device: child, isNew };
  }

  /** Returns the device like `resolve`, without creating it: `undefined` if `resolve` would create it. */
  preview(
    integration: ResolvingIntegration,
    settings: IntegrationSettings,
    reference: DeviceReference,
  ): IngestDevice | undefined {
    const found = this.#findOrRefuse(integration, settings, reference);
    return found === undefined || reference.childId === undefined
      ? found
      : this.#childOf(found, reference.childId, false);
  }

  /** Stores the current id of the device with this address, so that messages under a new name are still assigned to it. */
  #follow({ tenantId, deviceId }: IngestDevice, { externalId, address }: DeviceReference): void {
    if (externalId === undefined || address === undefined) return;
    const { identities, saveServer } = this.#deps;
    const hasDevice = (list: readonly IdentifiedDevice[]) => list.some((each) => each.deviceId === deviceId);
    if (!hasDevice(identities.findByAddress(tenantId, address))) saveServer(deviceId, ADDRESS_KEY, address);
    if (!hasDevice(identities.findByExternalId(tenantId, externalId)))
      saveServer(deviceId, EXTERNAL_ID_KEY, externalId);
  }

  /** Returns the device without its child; `undefined` if the integration may create it. */
  #findOrRefuse(
    integration: ResolvingIntegration,
    settings: IntegrationSettings,
    reference: DeviceReference,
  ): IngestDevice | undefined {
    ensureShort(reference);
    const found = this.#find(integration, reference);
    if (found === undefined && (settings.autoCreateDevice !== true || reference.creation === "none"))
      throw unknownDevice(describe(reference));
    return found;
  }

  #find(
    { tenantId, integrationId }: ResolvingIntegration,
    { deviceToken, devEui, externalId, address, isAnnounced }: DeviceReference,
  ): IngestDevice | undefined {
    const { identities, directory } = this.#deps;
    if (deviceToken !== undefined) {
      const device = directory.findByToken(deviceToken);
      if (device?.tenantId !== tenantId) throw invalid("integration.device_token_invalid");
      return device;
    }
    if (devEui !== undefined)
      return this.#cached(`${tenantId}\neui\n${devEui}`, () => identities.findByDevEui(tenantId, devEui));
    if (externalId === undefined) throw noReference();
    const integration = { tenantId, integrationId };
    if (address !== undefined) return this.#byAddress(integration, externalId, address);
    return isAnnounced
      ? this.#cached(`${tenantId}\nannounced ${integrationId}\n${externalId}`, () =>
          this.#byAnnouncement(integration, externalId),
        )
      : this.#cached(`${tenantId}\nid ${integrationId}\n${externalId}`, () =>
          this.#byExternalId(integration, externalId),
        );
  }

  #cached(key: string, find: () => DeviceId | undefined): IngestDevice | undefined {
    const before = this.#cache.get(key);
    if (before?.revoked === false) return before;
    const deviceId = find();
    const device = deviceId && this.#deps.directory.find(deviceId);
    if (device === undefined) return undefined;
    if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
    this.#cache.set(key, device);
    return device;
  }

  /** Returns a device that follows the announcements of the integration, or of a deleted integration. */
  #byAnnouncement({ tenantId, integrationId }: ResolvingIntegration, externalId: string) {
    const { identities } = this.#deps;
    const marked = identities.findByExternalId(tenantId, externalId);
    const own = marked.find(({ owner }) => owner === integrationId);
    const isOrphan = ({ owner }: IdentifiedDevice) => owner !== undefined && !identities.isIntegration(owner);
    return (own ?? marked.find(isOrphan))?.deviceId;
  }

  /** Returns the device with an address; otherwise the device with its id, which may be the address itself before the device has a name. */
  #byAddress(integration: ResolvingIntegration, externalId: string, address: string) {
    const { identities, directory } = this.#deps;
    const isFree = ({ owner }: IdentifiedDevice) =>
      owner === undefined || owner === integration.integrationId;
    const deviceId =
      identities.findByAddress(integration.tenantId, address).find(isFree)?.deviceId ??
      this.#byExternalId(integration, externalId) ??
      this.#byExternalId(integration, address);
    return deviceId && directory.find(deviceId);
  }

  #byExternalId({ tenantId, integrationId }: ResolvingIntegration, externalId: string): DeviceId | undefined {
    const { identities, directory, devices } = this.#deps;
    const isFree = ({ owner }: IdentifiedDevice) => owner === undefined || owner === integrationId;
    const marked = identities.findByExternalId(tenantId, externalId).find(isFree);
    if (marked !== undefined) return marked.deviceId;
    const own = directory.find(externalId as DeviceId); // a wrong id is simply not found
    if (own?.tenantId === tenantId) return own.deviceId;
    const [named, second] = devices.findNamed(tenantId, externalId);
    return second === undefined ? named?.deviceId : undefined;
  }

  #create(integration: Integration, settings: IntegrationSettings, reference: DeviceReference): IngestDevice {
    const { devices, directory, saveServer } = this.#deps;
    const { devEui, externalId, address, isAnnounced } = reference;
    const id = externalId ?? devEui ?? "";
    this.#ensureMayCreate(integration.integrationId);
    const device = this.#newDevice(integration, settings, { ...reference, id });
    const [created] = devices.createMany(integrationPrincipal(integration), [device], ({ deviceId }) => {
      if (externalId !== undefined) saveServer(deviceId, EXTERNAL_ID_KEY, externalId);
      if (address !== undefined) saveServer(deviceId, ADDRESS_KEY, address);
      if (isAnnounced) saveServer(deviceId, OWNER_KEY, integration.integrationId);
    });
    const found = created && directory.find(created.deviceId);
    if (found === undefined) throw unknownDevice(id); // deleted in the same moment
    return found;
  }

  #newDevice(
    integration: Integration,
    settings: IntegrationSettings,
    { id, devEui, ...reference }: DeviceReference & { readonly id: string },
  ): NewDevice {
    const { devices, profiles } = this.#deps;
    const { tenantId } = integration;
    const wanted = asText(reference.name ?? id, NAME_CHARACTERS_MAX) || id;
    const isTaken = devices.findNamed(tenantId, wanted).length > 0;
    const deviceType = asText(settings.deviceType ?? reference.type ?? "", TYPE_CHARACTERS_MAX) || "default";
    return {
      name: isTaken ? asText(`${wanted.slice(0, 180)} ${id}`, NAME_CHARACTERS_MAX) : wanted,
      deviceType,
      profileId:
        settings.profileId ??
        (reference.creation === "own-profile"
          ? this.#ownProfile(integration, deviceType)
          : profiles.forType(tenantId, deviceType)
        ).profileId,
      ...(devEui !== undefined && { lorawanDevEui: devEui }),
    };
  }

  /** Returns the profile with a name. The integration becomes its owner if the profile is new or its integration was deleted. */
  #ownProfile({ tenantId, integrationId }: Integration, name: string) {
    const { profiles, identities } = this.#deps;
    const existing = profiles.findNamed(tenantId, name);
    const profile = existing ?? profiles.createNamed(tenantId, name);
    const { profileId } = profile;
    const isOrphan = identities.isCreated(profileId) && identities.creatorOf(profileId) === undefined;
    if (existing === undefined || isOrphan) identities.saveCreator(profileId, integrationId);
    return profile;
  }

  /** Returns whether the integration may describe a profile's keys: it created the profile, or a user selected it. */
  mayDescribe(
    { integrationId }: Pick<Integration, "integrationId">,
    settings: IntegrationSettings,
    profileId: ProfileId,
  ): boolean {
    return settings.profileId === profileId || this.#deps.identities.creatorOf(profileId) === integrationId;
  }

  #ensureMayCreate(integrationId: string): void {
    let meter = this.#creationRates.get(integrationId);
    if (meter === undefined) {
      meter = new RateMeter();
      Object.assign(meter, CREATION_RATE);
      this.#creationRates.set(integrationId, meter);
    }
    if (meter.take(this.#deps.clock.monotonic()) > 0) throw invalid("integration.devices_flood");
  }

  #childOf(gateway: IngestDevice, childId: string, mayCreate: boolean): IngestDevice | undefined {
    const { devices, directory } = this.#deps;
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
}
