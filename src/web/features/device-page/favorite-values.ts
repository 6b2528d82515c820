import { useState } from "preact/hooks";
import { readStored, writeStored } from "../../platform/preferences.ts";

const nameOf = (profileId: string) => `lineside.favorites.${profileId}`;

function readFavorites(profileId: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(readStored(nameOf(profileId)) ?? "[]");
    return new Set(Array.isArray(stored) ? stored.filter((key) => typeof key === "string") : []);
  } catch {
    return new Set(); // somebody else wrote it
  }
}

/** Favorite values in this browser, for all devices of a profile. */
export function useFavorites(profileId: string) {
  const [favorites, setFavorites] = useState(() => readFavorites(profileId));
  return {
    favorites,
    toggle(key: string) {
      const next = favorites.symmetricDifference(new Set([key]));
      writeStored(nameOf(profileId), next.size === 0 ? undefined : JSON.stringify([...next]));
      setFavorites(next);
    },
  };
}
