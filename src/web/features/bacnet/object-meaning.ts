import type { KeyMetadata, KeyState } from "../../../lib/keys/key-metadata.ts";
import { plural } from "../../platform/i18n/i18n.ts";
import { refreshKeyMetadata } from "../../platform/key-metadata.ts";
import { toast } from "../../platform/toasts.ts";
import { errorText } from "../../ui/error-text.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { profilesApi } from "../profiles/profiles-api.ts";
import type { BacnetObject, BrowsedPart } from "./bacnet-api.ts";

type Browsed = BrowsedPart["objects"][number];

/** What the keys of selected objects mean, by the addresses of the objects, until their unit is saved. */
const selected = new Map<string, Omit<KeyMetadata, "key">>();

const stateOf = (name: string, value: number | boolean): KeyState[] => (name === "" ? [] : [{ value, name }]);

/** Returns the unit or the names of the states of an object; undefined for one without. */
export function meaningOf({ value, unit, states }: Browsed): Omit<KeyMetadata, "key"> | undefined {
  const isBinary = typeof value === "boolean";
  const named = states.flatMap((name, index) => stateOf(name, isBinary ? index === 1 : index + 1));
  if (named.length > 0) return { kind: "state", states: named };
  return unit === null ? undefined : { unit };
}

export function rememberMeanings(objects: readonly Browsed[]): void {
  for (const object of objects) {
    const meaning = meaningOf(object);
    if (meaning !== undefined) selected.set(object.address, meaning);
  }
}

/** Gives the profile of the device the meanings of keys that have none there. Says how many, or why not: the unit is saved already. */
export async function saveMeanings(deviceId: string, objects: readonly BacnetObject[]): Promise<void> {
  const meanings = objects.flatMap(({ key, address }): KeyMetadata[] => {
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
    toast("success", plural("bacnet.meanings", added.length));
  } catch (error) {
    toast("error", errorText(error));
  }
}
