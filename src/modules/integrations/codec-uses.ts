import type { UsedCodec } from "../codecs/codecs.service.ts";
import type { Integration } from "./integrations.resource.ts";

/** Returns the integrations whose settings name a codec, by codec. */
export function usesOfCodecs(
  integrations: readonly Pick<Integration, "integrationId" | "name" | "settings">[],
): Map<string, UsedCodec["usedBy"]> {
  const uses = new Map<string, Array<{ integrationId: string; name: string }>>();
  for (const { integrationId, name, settings } of integrations)
    for (const codecId of new Set((settings.codecs ?? []).map((use) => use.codecId)))
      uses.set(codecId, [...(uses.get(codecId) ?? []), { integrationId, name }]);
  return uses;
}
