import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import { plural } from "../../platform/i18n/i18n.ts";
import { refreshKeyMetadata } from "../../platform/key-metadata.ts";
import { toast } from "../../platform/toasts.ts";
import { errorText } from "../../ui/page/error-text.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { profilesApi } from "../profiles/profiles-api.ts";
import type { Entry } from "./entry-list.tsx";

export type Meaning = Omit<KeyMetadata, "key">;

/** Metadata of the keys of selected entries by address, until their unit is saved. */
const selected = new Map<string, Meaning>();

export function rememberMeaning(address: string, meaning: Meaning | undefined): void {
  if (meaning !== undefined) selected.set(address, meaning);
}

/** Adds metadata of keys to the profile of the device, unless it has some. Reports the number, or the error: the unit is already saved. */
export async function saveMeanings(deviceId: string, entries: readonly Entry[]): Promise<void> {
  const meanings = entries.flatMap(({ key, address }): KeyMetadata[] => {
    const meaning = selected.get(address);
    return meaning === undefined ? [] : [{ key, ...meaning }];
  });
  selected.clear();
  if (meanings.length === 0) return;
  try {
    const { profileId } = await devicesApi.get(deviceId);
    const current = await profilesApi.keys(profileId);
    const present = new Set(current.map(({ key }) => key));
    const added = meanings.filter(({ key }) => !present.has(key));
    if (added.length === 0) return;
    await profilesApi.setKeys(profileId, [...current, ...added]);
    refreshKeyMetadata();
    toast("success", plural("fieldUnit.meanings", added.length));
  } catch (error) {
    toast("error", errorText(error));
  }
}
