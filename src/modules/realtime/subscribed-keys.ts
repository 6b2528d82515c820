import type { DeviceId } from "../../lib/core/ids.ts";
import type { Principal } from "../users/users.types.ts";

/** Max. keys named by a connection's subscriptions. Subscriptions with equal lists share one. */
export const SUBSCRIBED_KEYS_MAX = 10_000;
/** Approximate bytes of a key in a set, in addition to its characters. */
const KEY_BYTES = 144;

type KeySet = ReadonlySet<string>;

const noKeys: KeySet = new Set();

/** Telemetry keys of subscriptions with the same keys; for a dashboard link, limited to the keys that its dashboards show. */
export class SubscribedKeys {
  /** Name that is equal for equal keys. */
  readonly name: string;
  /** Number of keys named. */
  readonly count: number;
  /** Approximate size in memory. */
  readonly bytes: number;
  readonly #asked: KeySet | undefined;
  readonly #sharedOf: () => Principal["shared"];
  /** Keys shown of a device → the requested ones among them. */
  readonly #found = new WeakMap<KeySet, KeySet>();

  /**
   * @param asked undefined for all keys
   * @param sharedOf returns the current content of the link; undefined for users
   * @param nameOf returns the same name for equal sets
   */
  constructor(
    asked: readonly string[] | undefined,
    sharedOf: () => Principal["shared"],
    nameOf: (keys: KeySet) => string,
  ) {
    const shown = new Set(sharedOf()?.keysOf.values());
    const isLink = sharedOf() !== undefined;
    this.#sharedOf = sharedOf;
    this.#asked = asked && (isLink ? keysOfAny(shown, new Set(asked)) : new Set(asked));
    this.name = this.#asked === undefined ? "" : nameOf(this.#asked);
    this.count = this.#asked?.size ?? 0;
    const found = [...shown].map((keys) => this.#shownPart(keys));
    this.bytes = this.#asked === undefined ? 0 : [this.#asked, ...found].reduce(addBytes, 0);
  }

  /** Returns the subscribed keys of a device; undefined if all keys are subscribed. */
  of(deviceId: DeviceId): KeySet | undefined {
    const shared = this.#sharedOf();
    return shared === undefined ? this.#asked : this.#shownPart(shared.keysOf.get(deviceId) ?? noKeys);
  }

  #shownPart(shown: KeySet): KeySet {
    if (this.#asked === undefined) return shown;
    const found = this.#found.get(shown) ?? shown.intersection(this.#asked);
    this.#found.set(shown, found);
    return found;
  }
}

/** Returns the keys contained in one of the sets. */
function keysOfAny(sets: ReadonlySet<KeySet>, keys: KeySet): KeySet {
  return new Set([...sets].flatMap((set) => [...set.intersection(keys)]));
}

function addBytes(bytes: number, keys: KeySet): number {
  let sum = bytes;
  for (const key of keys) sum += KEY_BYTES + key.length;
  return sum;
}
