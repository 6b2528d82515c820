/**
 * Devices that announce themselves as defined by Home Assistant's "MQTT discovery". An announcement names the topics of its states and commands; the
 * adapter reads the states of all announced components.
 */
import {
  DomainError,
  detail,
  inEnglish,
  invalid,
  toText as textOfError,
} from "../../../../lib/core/domain-error.ts";
import type { Text } from "../../../../lib/texts/text.ts";
import type {
  Adapter,
  AdapterDefinition,
  DeviceReference,
  InboundMessage,
  IntegrationSettings,
  Normalized,
} from "../../integrations.types.ts";
import type { AnnouncedEntity } from "../component-reader.ts";
import { textsOf } from "../lorawan.ts";
import { topicBases } from "../topic-bases.ts";
import { ensureTopic, ignored, NOT_MEASURED, reading, textBody } from "../topic-devices.ts";
import { AnnouncedDevices, isJson, looksLikeJson } from "./announced-devices.ts";
import { isReadComponent, readEntity } from "./announced-entity.ts";
import {
  type AnnouncedComponent,
  type AnnouncedDevice,
  type AnnouncementTopic,
  readAnnouncement,
  readAnnouncementTopic,
} from "./announcement.ts";

/** Prefix of the ids that this program announces. */
export const OWN_OBJECT_PREFIX = "lineside_";
const DEFAULT_PREFIX = "homeassistant";

/** Returns the device reference. Devices of a model share a profile; a device without a model has its own. */
function referenceOf({
  externalId,
  name = externalId,
  manufacturer,
  model,
}: AnnouncedDevice): DeviceReference {
  const type =
    model === undefined ? name : [manufacturer, model].filter((text) => text !== undefined).join(" ");
  return { externalId, name, type, creation: "own-profile", isAnnounced: true };
}

interface ReadEntities {
  readonly entities: AnnouncedEntity[];
  /** Errors of the components that cannot be read. */
  readonly failures: DomainError[];
}

function readEntities(components: readonly AnnouncedComponent[]): ReadEntities {
  const entities: AnnouncedEntity[] = [];
  const failures: DomainError[] = [];
  for (const component of components)
    try {
      if (isReadComponent(component.component)) entities.push(readEntity(component));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      failures.push(error);
    }
  return { entities, failures };
}

export class HomeAssistantAdapter implements Adapter {
  readonly #prefixes: readonly string[];

  readonly #devices: AnnouncedDevices;

  constructor(settings: IntegrationSettings, devices: AnnouncedDevices) {
    this.#devices = devices;
    const bases = topicBases(settings).map((levels) => levels.join("/"));
    this.#prefixes = bases.length > 0 ? bases : [DEFAULT_PREFIX];
  }

  normalize(message: InboundMessage): Normalized {
    const topic = ensureTopic(message);
    const announcement = readAnnouncementTopic(topic, this.#prefixes);
    if (announcement === undefined) return this.#read(topic, message);
    if (announcement.object.startsWith(OWN_OBJECT_PREFIX)) return ignored(detail("ignored.own_announcement"));
    return message.bytes.length === 0 ? this.#remove(topic) : this.#announce(topic, announcement, message);
  }

  /** Restores announcements after a restart. Unreadable announcements are left out. */
  restore(stored: readonly { readonly topic: string; readonly body: Uint8Array }[]): void {
    for (const { topic, body } of stored) {
      const parts = readAnnouncementTopic(topic, this.#prefixes);
      if (parts === undefined) continue;
      try {
        const { device, components } = readAnnouncement(body, parts);
        const { entities } = readEntities(components);
        if (entities.length > 0) this.#devices.announce(topic, { device, entities });
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }
  }

  #announce(topic: string, parts: AnnouncementTopic, message: InboundMessage): Normalized {
    const { device, components } = readAnnouncement(message.bytes, parts);
    const { entities, failures } = readEntities(components);
    const [failure] = failures;
    if (entities.length === 0) {
      // Earlier announcements under this topic no longer apply.
      this.#forget(topic);
      if (failure !== undefined) throw failure;
      return ignored(detail("ignored.component", { component: components[0]?.component ?? parts.component }));
    }
    this.#devices.store?.ensureRoom(topic, message.bytes);
    const { keys, entityCount, gone } = this.#devices.announce(topic, { device, entities });
    this.#devices.store?.save(topic, message.bytes);
    return {
      messages: [
        {
          ...reading(device.externalId, {}),
          kind: "attributes",
          device: referenceOf(this.#devices.find(device.externalId) ?? device),
          attributes: { ...textsOf(device.details), entities: entityCount, entitiesGone: [...gone] },
          keys,
          ...(failure !== undefined && {
            log: { level: "WARNING", text: inEnglish(textOfError(failure)) },
          }),
        },
      ],
    };
  }

  #forget(topic: string): ReturnType<AnnouncedDevices["remove"]> {
    this.#devices.store?.delete(topic);
    return this.#devices.remove(topic);
  }

  #remove(topic: string): Normalized {
    const removed = this.#forget(topic);
    if (removed === undefined) return ignored(detail("ignored.nothing_announced"));
    const { externalId, entityCount, gone } = removed;
    return {
      messages: [
        {
          ...reading(externalId, {}),
          kind: "attributes",
          device: { externalId, creation: "none", isAnnounced: true },
          attributes: { entities: entityCount, entitiesGone: [...gone] },
        },
      ],
    };
  }

  #read(topic: string, message: InboundMessage): Normalized {
    if (!this.#devices.topics.has(topic))
      return ignored(detail("ignored.topic_of_others", { system: "Home Assistant discovery" }));
    const text = textBody(message);
    const notes: Text[] = [];
    const messages = this.#devices
      .read(topic, text, (reason) => void notes.push(textOfError(reason)))
      .filter(({ telemetry }) => Object.keys(telemetry).length > 0)
      .map(({ device, telemetry }) => ({
        ...reading(device.externalId, telemetry),
        device: referenceOf(device),
      }));
    if (messages.length > 0) return { messages, ...(notes.length > 0 && { notes }) };
    if (looksLikeJson(text) && !isJson(text)) throw invalid("integration.body_malformed");
    return ignored(NOT_MEASURED);
  }
}

export const homeAssistant: AdapterDefinition = {
  format: "home-assistant",
  create: (settings) => new HomeAssistantAdapter(settings, new AnnouncedDevices()),
};
