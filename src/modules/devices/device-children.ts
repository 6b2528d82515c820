import { DomainError } from "../../lib/domain-error.ts";
import type { DeviceId } from "../../lib/ids.ts";
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
import type { ChildRef, Device, GatewayRef } from "./devices.types.ts";

const NAME_CHARACTERS_MAX = 256;
const TYPE_CHARACTERS_MAX = 128;
const TYPE_DEFAULT = "default";
/** Children that a gateway creates by itself: one that invents names must not fill the site. Users can attach more. */
const CHILDREN_CREATED_MAX = 10_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controlCharacters = /[\u0000-\u001f\u007f]/;

/** The children of gateways, as the gateways themselves name them. */
export function createDeviceChildren(deps: {
  repository: DevicesRepository;
  profiles: Pick<ProfilesService, "ensure" | "forType">;
  building: ReturnType<typeof createDeviceBuilding>;
  transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  events: EventBus<DomainEvents>;
}) {
  const { repository, profiles, building } = deps;

  function typeOf(input: unknown): string {
    if (input === undefined || input === null || input === "") return TYPE_DEFAULT;
    if (typeof input !== "string" || input.length > TYPE_CHARACTERS_MAX || controlCharacters.test(input))
      throw childTypeInvalid(TYPE_CHARACTERS_MAX);
    return input;
  }

  function ensureMayCreate(gateway: GatewayRef, name: string, created: number): void {
    const isText = name.trim() !== "" && name.isWellFormed() && !controlCharacters.test(name);
    if (!isText || name.length > NAME_CHARACTERS_MAX) throw childNameInvalid(NAME_CHARACTERS_MAX);
    if (repository.hasNameElsewhere(gateway, name)) throw childElsewhere(name);
    if (!profiles.ensure(gateway.tenantId, gateway.profileId).createsChildren) throw childUnknown(name);
    if (created >= CHILDREN_CREATED_MAX) throw childrenLimit(CHILDREN_CREATED_MAX);
  }

  /** Returns the function that creates children within a transaction. */
  function creating(gateway: GatewayRef) {
    const { deviceId: parentDeviceId, tenantId } = gateway;
    const room = building.roomFor(tenantId);
    const children = repository.countChildren(parentDeviceId);
    // Whoever was granted the asset sees the gateway, and what it makes.
    const assetId = repository.find(parentDeviceId)?.assetId ?? null;
    const created: Device[] = [];
    const create = ({ name, type }: ChildRef): Device => {
      ensureMayCreate(gateway, name, children + created.length);
      const deviceType = typeOf(type);
      if (room !== null && created.length >= room) building.ensureRoom(tenantId, 1); // throws
      const { profileId } = profiles.forType(tenantId, deviceType);
      const defaults = building.defaultsOf(tenantId, profileId);
      const device = building.assemble(tenantId, { name, deviceType, assetId }, { parentDeviceId }, defaults);
      building.insert(device, {});
      created.push(device);
      return device;
    };
    return { createdDevices: created, create };
  }

  /** Creates several children in one transaction, so that a gateway that names a thousand new ones holds up nobody. */
  function createMissing(gateway: GatewayRef, refs: readonly ChildRef[]): Array<DeviceId | DomainError> {
    const { createdDevices: created, results } = deps.transact(() => {
      const { createdDevices: created, create } = creating(gateway);
      const results = refs.map((ref) => {
        try {
          return create(ref).deviceId;
        } catch (error) {
          if (error instanceof DomainError) return error;
          throw error;
        }
      });
      return { createdDevices: created, results };
    });
    for (const device of created) deps.events.emit("device.created", device);
    return results;
  }

  const findChild = (gateway: GatewayRef, name: string) =>
    repository.findChild(gateway.deviceId, name)?.deviceId;

  return {
    /**
     * The ids of the children that the gateway calls so, in the order of `refs`, each made on first sight; the error where one is not
     * to be had. `forbidden` for the name of a device that is not its child: a gateway speaks for nobody who was not made by it or
     * attached to it by a person.
     */
    ensureChildren(gateway: GatewayRef, refs: readonly ChildRef[]): Array<DeviceId | DomainError> {
      const found = refs.map(({ name }) => findChild(gateway, name));
      const missing = refs.filter((_, index) => found[index] === undefined);
      const created = missing.length === 0 ? [] : createMissing(gateway, missing);
      return found.map((deviceId) => deviceId ?? (created.shift() as DeviceId | DomainError)); // one for each that is missing
    },
    findChild,
    listIds: (gatewayId: DeviceId): DeviceId[] => repository.listChildIds(gatewayId),
  };
}
