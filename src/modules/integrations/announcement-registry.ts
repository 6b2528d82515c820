import { AnnouncedDevices } from "./adapters/announced-devices.ts";
import { HomeAssistantAdapter } from "./adapters/home-assistant.ts";
import { AnnouncementStore } from "./announcement-store.ts";
import type { AnnouncementsRepository } from "./announcements.repository.ts";
import type { Integration } from "./integrations.resource.ts";

interface Registered {
  readonly devices: AnnouncedDevices;
  /** Broker and topics that the announcements are from. */
  readonly source: string;
}

/**
 * Announcements of devices to each integration that follows them. They are stored, because a broker elsewhere sends the states that it
 * has kept over a restart before it sends the announcements again.
 */
export class AnnouncementRegistry {
  /** Keyed by integration id. */
  readonly #registered = new Map<string, Registered>();

  /** @param onTopics is called when an integration has to follow other topics */
  constructor(
    private readonly repository: AnnouncementsRepository,
    private readonly onTopics: (integrationId: string) => void,
  ) {}

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
    const store = new AnnouncementStore(this.repository, integrationId, source);
    const devices = new AnnouncedDevices(() => this.onTopics(integrationId), store);
    new HomeAssistantAdapter(settings, devices).restore(store.load());
    this.#registered.set(integrationId, { devices, source });
    return devices;
  }

  forget(integrationId: string): void {
    this.#registered.delete(integrationId);
  }
}
