import { invalid } from "../../../../lib/core/domain-error.ts";
import {
  shortText,
  type TemplateScope,
  type TemplateValue,
  type ValueTemplate,
} from "../../../../lib/expressions/value-template.ts";
import { TEMPLATE_WORK_MAX, WorkBudget } from "../../../../lib/expressions/work-budget.ts";
import type { JsonValue } from "../../../../lib/json/json.ts";
import { type NoteLeftOut, parseJson, parseLenient } from "../../../../lib/json/sent-json.ts";
import type { KeyMetadata } from "../../../../lib/keys/key-metadata.ts";
import { TopicTree } from "../../../../lib/mqtt/topic-tree.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import type { AnnouncedKey } from "../../integrations.types.ts";
import type {
  AnnouncedAvailability,
  AnnouncedCommand,
  AnnouncedEntity,
  AnnouncedValue,
} from "../component-reader.ts";
import type { AnnouncedDevice } from "./announcement.ts";

/** Max. components of an integration, and of each of its devices. */
const ENTITIES_MAX = 2_000;
const ENTITIES_PER_DEVICE_MAX = 500;
/** Max. components per topic, across all devices: each component is work for every message. */
const ENTITIES_PER_TOPIC_MAX = 500;
const GONE_MAX = 100;
const KEY_CHARACTERS_MAX = 100;

/** Values of one device in a message. */
export interface AnnouncedReading {
  readonly device: AnnouncedDevice;
  readonly telemetry: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly device: AnnouncedDevice;
  readonly entities: readonly AnnouncedEntity[];
}

/** Device that follows the topics of a filter. */
interface Followed {
  readonly announced: Announced;
  readonly filter: string;
}

interface KeyedValue extends AnnouncedValue {
  readonly key: string;
}

const plainKey = (text: string) => text.replaceAll(/[^\w.-]/g, "_").slice(0, KEY_CHARACTERS_MAX);

/** Device with its announcements, by topic and by key. */
class Announced {
  /** Entries by the topic of their announcement. */
  readonly entries = new Map<string, Entry>();
  readonly gone = new Set<string>();
  readonly values = new Map<string, KeyedValue[]>();
  readonly commands = new Map<string, AnnouncedCommand>();
  readonly availability = new Map<string, AnnouncedAvailability>();
  /** Newest state of each availability topic. */
  readonly #isAvailable = new Map<string, boolean>();
  #mode: AnnouncedEntity["availabilityMode"] = "latest";

  constructor(public device: AnnouncedDevice) {}

  get entityCount(): number {
    return [...this.entries.values()].reduce((sum, { entities }) => sum + entities.length, 0);
  }

  /** Returns the number of values that an announcement reads from a topic. */
  countOf(announcement: string, topic: string): number {
    const { entities = [] } = this.entries.get(announcement) ?? {};
    return entities.reduce(
      (sum, { values }) => sum + values.filter((value) => value.topic === topic).length,
      0,
    );
  }

  topics(): string[] {
    return [...this.values.keys(), ...this.availability.keys()];
  }

  metadata(): Map<string, KeyMetadata> {
    const values = [...this.values.values()].flat();
    return new Map(values.map(({ key, metadata }) => [key, { key, ...metadata }]));
  }

  /** Rebuilds the look-ups. Returns the keys that are no longer announced. */
  rebuild(): void {
    const before = [...this.metadata().keys(), ...this.commands.keys()];
    this.values.clear();
    this.commands.clear();
    this.availability.clear();
    for (const [entity, key] of this.#keyed()) this.#addEntity(entity, key);
    const present = new Set([...this.metadata().keys(), ...this.commands.keys()]);
    for (const key of before) if (!present.has(key) && this.gone.size < GONE_MAX) this.gone.add(key);
    for (const key of present) this.gone.delete(key);
    for (const topic of this.#isAvailable.keys())
      if (!this.availability.has(topic)) this.#isAvailable.delete(topic);
  }

  /** Records a message of an availability topic. Returns whether the device is reachable; `undefined` if the message does not indicate it. */
  noteAvailability(
    topic: string,
    { available, unavailable }: AnnouncedAvailability,
    said: string | undefined,
  ): boolean | undefined {
    if (said !== available && said !== unavailable) return undefined;
    this.#isAvailable.set(topic, said === available);
    const states = [...this.#isAvailable.values()];
    if (this.#mode === "all") return states.length === this.availability.size && states.every(Boolean);
    return this.#mode === "any" ? states.some(Boolean) : said === available;
  }

  /** Returns entities with their keys. If two have the same id, the first component by name gets the plain key, in any order of arrival. */
  #keyed(): [AnnouncedEntity, string][] {
    const taken = new Set<string>();
    return [...this.entries.values()]
      .flatMap(({ entities }) => entities)
      .toSorted((a, b) => (a.component < b.component ? -1 : a.component > b.component ? 1 : 0))
      .map((entity) => {
        const plain = plainKey(entity.objectId);
        let key = taken.has(plain) ? plainKey(`${plain}_${entity.component}`) : plain;
        for (let number = 2; taken.has(key); number++)
          key = plainKey(`${number}_${plain}_${entity.component}`);
        taken.add(key);
        return [entity, key];
      });
  }

  #addEntity({ values, commands, availability, availabilityMode }: AnnouncedEntity, own: string): void {
    const keyOf = (part: string) => (part === "" ? own : `${own}_${part}`);
    for (const value of values) {
      const ofTopic = this.values.get(value.topic) ?? [];
      ofTopic.push({ ...value, key: keyOf(value.part) });
      this.values.set(value.topic, ofTopic);
    }
    for (const command of commands) this.commands.set(keyOf(command.part), command);
    for (const each of availability) this.availability.set(each.topic, each);
    if (availability.length > 0) this.#mode = availabilityMode;
  }
}

/** Store that keeps announcements across restarts. */
export interface StoredAnnouncements {
  ensureRoom(topic: string, body: Uint8Array): void;
  save(topic: string, body: Uint8Array): void;
  delete(topic: string): void;
}

/** Announcements of devices to one integration: their components, topics and commands. */
export class AnnouncedDevices {
  readonly #devices = new Map<string, Announced>();
  /** External id by announcement topic. */
  readonly #owners = new Map<string, string>();
  /** Devices by the topic of their states, or the filter of these topics. */
  readonly #followed = new Map<string, Set<Announced>>();
  /** Devices by topic filter, found by the topic of a message. */
  readonly #tree = new TopicTree<Announced, Followed>();
  #entityCount = 0;

  /** @param onTopics is called when the followed topics change */
  readonly #onTopics: () => void;

  constructor(
    onTopics: () => void = () => {},
    readonly store?: StoredAnnouncements,
  ) {
    this.#onTopics = onTopics;
  }

  /** Topics and filters of states and availabilities; `has` returns whether a topic is followed. */
  readonly topics = {
    has: (topic: string): boolean => this.#followed.has(topic) || this.#tree.hasMatch(topic),
    keys: (): Iterable<string> => this.#followed.keys(),
  };

  /** Returns the device's name and type; `undefined` if the device announced nothing. */
  find(externalId: string): AnnouncedDevice | undefined {
    return this.#devices.get(externalId)?.device;
  }

  command(externalId: string, key: string): AnnouncedCommand | undefined {
    return this.#devices.get(externalId)?.commands.get(key);
  }

  /** Stores an announcement, replacing the previous announcement of the topic. @throws DomainError `invalid` beyond the limits */
  announce(
    topic: string,
    entry: Entry,
  ): { keys: AnnouncedKey[]; entityCount: number; gone: readonly string[] } {
    const { externalId } = entry.device;
    const owner = this.#owners.get(topic);
    const former =
      owner === undefined ? 0 : (this.#devices.get(owner)?.entries.get(topic)?.entities.length ?? 0);
    const ofDevice = this.#devices.get(externalId)?.entityCount ?? 0;
    const added = entry.entities.length;
    if (this.#entityCount - former + added > ENTITIES_MAX)
      throw invalid("integration.announcements_full", { max: ENTITIES_MAX });
    if (ofDevice - (owner === externalId ? former : 0) + added > ENTITIES_PER_DEVICE_MAX)
      throw invalid("integration.announcements_full", { max: ENTITIES_PER_DEVICE_MAX });
    this.#ensureTopicsFit(topic, entry);
    if (owner !== undefined && owner !== externalId) this.remove(topic);
    const device = this.#devices.get(externalId) ?? new Announced(entry.device);
    const before = device.metadata();
    if (this.#owners.get(topic) !== undefined) this.#entityCount -= former;
    this.#entityCount += added;
    this.#owners.set(topic, externalId);
    this.#devices.set(externalId, device);
    // Announcements of single components may name the device only in the first of them.
    const { name = device.device.name, model = device.device.model } = entry.device;
    device.device = { ...entry.device, name, model };
    this.#change(device, () => device.entries.set(topic, entry));
    const keys = [...device.metadata().values()]
      .filter((metadata) => !Bun.deepEquals(before.get(metadata.key), metadata))
      .map((metadata) => ({ metadata, before: before.get(metadata.key) }));
    return { keys, entityCount: device.entityCount, gone: [...device.gone] };
  }

  /** Removes the announcement of a topic. Returns `undefined` if there was none. */
  remove(topic: string): { externalId: string; entityCount: number; gone: readonly string[] } | undefined {
    const externalId = this.#owners.get(topic);
    const device = externalId === undefined ? undefined : this.#devices.get(externalId);
    if (externalId === undefined || device === undefined) return undefined;
    this.#owners.delete(topic);
    this.#entityCount -= device.entries.get(topic)?.entities.length ?? 0;
    this.#change(device, () => device.entries.delete(topic));
    if (device.entries.size === 0) this.#devices.delete(externalId);
    return { externalId, entityCount: device.entityCount, gone: [...device.gone] };
  }

  /** Reads the values of a message for each device that has announced its topic. */
  read(topic: string, text: string, note?: NoteLeftOut): AnnouncedReading[] {
    const work = new WorkBudget(TEMPLATE_WORK_MAX);
    const scope: TemplateScope = { value: text, value_json: jsonOf(text, note), work };
    /** Values by template source: hundreds of components may share a template. */
    const evaluated = new Map<string, TemplateValue>();
    const evaluate = (template: ValueTemplate): TemplateValue => {
      if (evaluated.has(template.source)) return evaluated.get(template.source);
      const value = template(scope);
      evaluated.set(template.source, value);
      return value;
    };
    const readings = new Map<Announced, Record<string, unknown>>();
    for (const { announced, filter } of this.#tree.match(topic)) {
      const telemetry: Record<string, unknown> = readings.get(announced) ?? Object.create(null);
      readings.set(announced, telemetry);
      for (const { key, template, read } of announced.values.get(filter) ?? []) {
        const found = evaluate(template);
        // An object is stored as a string.
        work.spend(typeof found === "object" && found !== null ? text.length : 1);
        const value = read(found);
        if (value !== undefined) telemetry[key] = value;
      }
      const availability = announced.availability.get(filter);
      const online =
        availability &&
        announced.noteAvailability(filter, availability, shortText(evaluate(availability.template), work));
      if (online !== undefined) telemetry.online = online;
    }
    return [...readings].map(([{ device }, telemetry]) => ({ device, telemetry }));
  }

  /** @throws DomainError `invalid` if too many components would read a topic */
  #ensureTopicsFit(announcement: string, { entities }: Entry): void {
    const added = Map.groupBy(
      entities.flatMap(({ values }) => values),
      ({ topic }) => topic,
    );
    for (const [topic, values] of added) {
      let count = values.length;
      for (const device of this.#followed.get(topic) ?? [])
        count += (device.values.get(topic) ?? []).length - device.countOf(announcement, topic);
      if (count > ENTITIES_PER_TOPIC_MAX)
        throw invalid("integration.topic_full", { topic: excerpt(topic), max: ENTITIES_PER_TOPIC_MAX });
    }
  }

  #change(device: Announced, change: () => void): void {
    const before = new Set(device.topics());
    change();
    device.rebuild();
    const after = new Set(device.topics());
    let hasChanged = false;
    for (const topic of before.difference(after)) {
      const following = this.#followed.get(topic);
      following?.delete(device);
      this.#tree.delete(topic, device);
      if (following?.size === 0) hasChanged = this.#followed.delete(topic);
    }
    for (const topic of after.difference(before)) {
      const following = this.#followed.get(topic) ?? new Set();
      hasChanged ||= following.size === 0;
      this.#followed.set(topic, following.add(device));
      this.#tree.set(topic, device, { announced: device, filter: topic });
    }
    if (hasChanged) this.#onTopics();
  }
}

/** Returns the JSON of a message; undefined if it is invalid. `nan` from a sensor without a value does not invalidate the others. */
function jsonOf(text: string, note?: NoteLeftOut): JsonValue | undefined {
  try {
    const value = looksLikeJson(text) ? parseLenient(text, note) : parseJson(text);
    return value as JsonValue; // what it parses is JSON
  } catch {
    return undefined;
  }
}

/** Returns whether a string begins like a JSON object or list. */
export const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text);

export const isJson = (text: string): boolean => jsonOf(text) !== undefined;
