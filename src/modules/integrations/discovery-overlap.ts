import { conflict } from "../../lib/domain-error.ts";
import { excerpt } from "../../lib/excerpt.ts";
import { filtersOverlap, withoutShare } from "../../lib/mqtt/topic-filters.ts";
import { filtersOf } from "./bridge/subscribed-filters.ts";
import type { Integration } from "./integrations.resource.ts";
import { isRunning } from "./running-integrations.ts";

type Candidate = Pick<Integration, "integrationId" | "status" | "settings">;

function overlap({ settings: a }: Candidate, { settings: b }: Candidate): boolean {
  if (a.mqtt === undefined || b.mqtt === undefined || a.mqtt.brokerUrl !== b.mqtt.brokerUrl) return false;
  const others = filtersOf(b.mqtt).map(withoutShare);
  return filtersOf(a.mqtt).some((filter) =>
    others.some((other) => filtersOverlap(withoutShare(filter), other)),
  );
}

const follows = ({ status, settings }: Candidate): boolean =>
  settings.format === "home-assistant" && isRunning({ status });

/**
 * Both of two integrations that read the same announcements would store each reading of a device, and send its commands.
 * @throws DomainError `conflict` if another one that is running reads the announcements
 */
export function ensureOwnDiscovery(candidate: Candidate, all: readonly Integration[]): void {
  if (!follows(candidate)) return;
  const other = all.find(
    (integration) =>
      integration.integrationId !== candidate.integrationId &&
      follows(integration) &&
      overlap(candidate, integration),
  );
  if (other !== undefined) throw conflict("integration.discovery_taken", { name: excerpt(other.name) });
}
