import { invalid } from "../../../lib/core/domain-error.ts";
import { refusedWrite } from "../../../platform/database/storage-failure.ts";
import { AnnouncedDevices } from "../adapters/home-assistant/announced-devices.ts";
import { HomeAssistantAdapter } from "../adapters/home-assistant/home-assistant.ts";
import type { Integration } from "../integrations.resource.ts";
import type { AnnouncementsRepository } from "./announcements.repository.ts";

const MEBIBYTES_MAX = 16;
const BYTES_MAX = MEBIBYTES_MAX * 1024 * 1024;

/** Stored announcements to an integration. Retained announcements are received repeatedly but written once. */
export class AnnouncementStore {
  /** Hash and size of the stored announcements, by topic. */
  readonly #stored = new Map<string, { readonly hash: bigint | number; readonly bytes: number }>();
  #bytes = 0;

  readonly #repository: AnnouncementsRepository;
  readonly #integrationId: string;
  readonly #source: string;

  constructor(repository: AnnouncementsRepository, integrationId: string, source: string) {
    this.#repository = repository;
    this.#integrationId = integrationId;
    this.#source = source;
  }

  /** Lists the stored announcements. */
  load(): { readonly topic: string; readonly body: Uint8Array }[] {
    const stored = this.#repository.takeOver(this.#integrationId, this.#source);
    for (const { topic, body } of stored) this.#note(topic, body);
    return stored;
  }

  /** @throws DomainError `invalid` if the announcement exceeds the remaining space */
  ensureRoom(topic: string, body: Uint8Array): void {
    if (this.#bytes - (this.#stored.get(topic)?.bytes ?? 0) + body.length > BYTES_MAX)
      throw invalid("integration.announcements_large", { max: MEBIBYTES_MAX });
  }

  /** @throws DomainError `unavailable` if nothing can be stored now */
  save(topic: string, body: Uint8Array): void {
    if (this.#stored.get(topic)?.hash === Bun.hash(body)) return;
    onDisk(() => this.#repository.save(this.#integrationId, this.#source, { topic, body }));
    this.#note(topic, body);
  }

  /** @throws DomainError `unavailable` if nothing can be stored now */
  delete(topic: string): void {
    const stored = this.#stored.get(topic);
    if (stored === undefined) return;
    onDisk(() => this.#repository.delete(this.#integrationId, topic));
    this.#bytes -= stored.bytes;
    this.#stored.delete(topic);
  }

  #note(topic: string, body: Uint8Array): void {
    this.#bytes += body.length - (this.#stored.get(topic)?.bytes ?? 0);
    this.#stored.set(topic, { hash: Bun.hash(body), bytes: body.length });
  }
}

function onDisk(write: () => void): void {
  try {
    write();
  } catch (error) {
    throw refusedWrite(error);
  }
}

interface Registered {
  readonly devices: AnnouncedDevices;
  /** Broker and topics of the announcements. */
  readonly source: string;
}

/**
 * Announcements to each integration that follows them. They are stored because after a restart, an external broker sends retained states before it
 * sends the announcements again.
 */
export class AnnouncementRegistry {
  /** Keyed by integration id. */
  readonly #registered = new Map<string, Registered>();

  /** @param onTopics is called when the followed topics of an integration change */
  readonly #repository: AnnouncementsRepository;
  readonly #onTopics: (integrationId: string) => void;

  constructor(repository: AnnouncementsRepository, onTopics: (integrationId: string) => void) {
    this.#repository = repository;
    this.#onTopics = onTopics;
  }

  /** Returns `undefined` for an integration whose devices do not announce themselves. */
  of({
    integrationId,
    settings,
  }: Pick<Integration, "integrationId" | "settings">): AnnouncedDevices | undefined {
    if (settings.format !== "home-assistant") return undefined;
    const { brokerUrl, topicFilter } = settings.mqtt ?? {};
    const source = JSON.stringify([brokerUrl, topicFilter]);
    const registered = this.#registered.get(integrationId);
    if (registered?.source === source) return registered.devices;
    const store = new AnnouncementStore(this.#repository, integrationId, source);
    const devices = new AnnouncedDevices(() => this.#onTopics(integrationId), store);
    new HomeAssistantAdapter(settings, devices).restore(store.load());
    this.#registered.set(integrationId, { devices, source });
    return devices;
  }

  forget(integrationId: string): void {
    this.#registered.delete(integrationId);
  }
}
