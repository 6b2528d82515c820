import type { DeviceId, ProfileId, TenantId } from "../../lib/ids.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DomainEvents } from "../events.types.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { createDeviceBuilding } from "./device-building.ts";
import {
  childElsewhere,
  childNameInvalid,
  childrenLimit,
  childTypeInvalid,
  childUnknown,
} from "./devices.errors.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { Device } from "./devices.types.ts";

const NAME_CHARACTERS_MAX = 256;
const TYPE_CHARACTERS_MAX = 128;
const TYPE_DEFAULT = "default";
/** That a gateway makes by itself: one that invents names must not fill the site. People may attach more. */
const CHILDREN_MADE_MAX = 10_000;

/** A gateway as its session knows it. */
export interface GatewayRef {
  readonly deviceId: DeviceId;
  readonly tenantId: TenantId;
  readonly profileId: ProfileId;
}

/** The children of gateways, as the gateways themselves name them. */
export interface DeviceChildren {
  /**
   * The id of the child that the gateway calls so, made on first sight. Throws `forbidden` for the name of a device that is not
   * its child: a gateway speaks for nobody who was not made by it or attached to it by a person.
   */
  ensureChild(
    gateway: GatewayRef,
    name: string,
    deviceType?: unknown,
  ): { deviceId: DeviceId; isNew: boolean };
  findChild(gateway: GatewayRef, name: string): DeviceId | undefined;
  countChildren(gatewayId: DeviceId): number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f]/;

export function createDeviceChildren(deps: {
  repository: DevicesRepository;
  profiles: Pick<ProfilesService, "ensure" | "forType">;
  building: ReturnType<typeof createDeviceBuilding>;
  transact: (work: () => void) => void;
  events: EventBus<DomainEvents>;
}): DeviceChildren {
  const { repository, profiles, building } = deps;

  function typeOf(given: unknown): string {
    if (given === undefined || given === null || given === "") return TYPE_DEFAULT;
    if (typeof given !== "string" || given.length > TYPE_CHARACTERS_MAX || controlCharacters.test(given))
      throw childTypeInvalid(TYPE_CHARACTERS_MAX);
    return given;
  }

  function ensureMayCreate(gateway: GatewayRef, name: string): void {
    const { deviceId, tenantId, profileId } = gateway;
    if (name.trim() === "" || name.length > NAME_CHARACTERS_MAX || controlCharacters.test(name))
      throw childNameInvalid(NAME_CHARACTERS_MAX);
    if (repository.hasName(tenantId, name)) throw childElsewhere(name);
    if (!profiles.ensure(tenantId, profileId).createsChildren) throw childUnknown(name);
    if (repository.countChildren(deviceId) >= CHILDREN_MADE_MAX) throw childrenLimit(CHILDREN_MADE_MAX);
  }

  function create(gateway: GatewayRef, name: string, deviceType: string): Device {
    const { tenantId } = gateway;
    const { profileId } = profiles.forType(tenantId, deviceType);
    const device = building.assemble(
      tenantId,
      { name, deviceType },
      { parentDeviceId: gateway.deviceId },
      building.defaultsOf(tenantId, profileId),
    );
    deps.transact(() => {
      building.ensureRoom(tenantId, 1);
      building.insert(device, {});
    });
    deps.events.emit("device.created", device);
    return device;
  }

  return {
    ensureChild(gateway, name, deviceType) {
      const known = repository.findChild(gateway.deviceId, name);
      if (known !== undefined) return { deviceId: known.deviceId, isNew: false };
      ensureMayCreate(gateway, name);
      return { deviceId: create(gateway, name, typeOf(deviceType)).deviceId, isNew: true };
    },
    findChild: (gateway, name) => repository.findChild(gateway.deviceId, name)?.deviceId,
    countChildren: (gatewayId) => repository.countChildren(gatewayId),
  };
}
