import type { AttributesService } from "../../attributes/attributes.service.ts";
import type { DevicesService } from "../../devices/devices.service.ts";
import type { Core } from "../../module.types.ts";
import type { LocalTopics } from "../../mqtt-clients/mqtt-clients.types.ts";
import type { ProfilesService } from "../../profiles/profiles.service.ts";
import type { IntegrationsRepository } from "../integrations.repository.ts";
import { INTEGRATION_ID_KEY } from "../integrations.types.ts";
import { OwnAnnouncements, type OwnAnnouncementsDeps } from "./own-announcements.ts";

/** Creates the announcements of tenants' devices to programs at the embedded broker. */
export function createOwnAnnouncementsModule(
  { clock, events, version, log }: Core,
  deps: {
    devices: Pick<DevicesService, "pages">;
    profiles: Pick<ProfilesService, "keysOf">;
    attributes: Pick<AttributesService, "valueOf">;
    repository: Pick<IntegrationsRepository, "findAcrossTenants" | "listStarted">;
    topics: LocalTopics;
    latest: OwnAnnouncementsDeps["latest"];
  },
) {
  const { devices, profiles, attributes, repository, topics, latest } = deps;
  const announcements = new OwnAnnouncements({
    devices,
    keysOf: profiles.keysOf,
    latest,
    isAnnounced({ deviceId }) {
      const id = attributes.valueOf(deviceId, "SERVER", INTEGRATION_ID_KEY);
      return typeof id === "string" && repository.findAcrossTenants(id)?.settings.format === "home-assistant";
    },
    topics,
    version,
    list: () => repository.listStarted(),
    find: (integrationId) => repository.findAcrossTenants(integrationId),
    clock,
    log: log.child("announcements"),
  });
  announcements.subscribe(events);
  return {
    parts: [
      { name: "own announcements", start: () => announcements.start(), stop: () => announcements.stop() },
    ],
  };
}
