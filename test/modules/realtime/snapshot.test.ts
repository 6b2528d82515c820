import { expect, test } from "bun:test";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import type { Subscription } from "../../../src/modules/realtime/realtime.types.ts";
import { snapshotMessages } from "../../../src/modules/realtime/snapshot.ts";
import type { Principal } from "../../../src/modules/users/users.types.ts";

/** More than the share of a round of the event loop, in ms of processor time. */
const LISTING_MS = 20;

test("subscriptions to all devices that come together list the devices in rounds of their own", async () => {
  let round = 0;
  let isOver = false;
  const count = () => {
    round++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const listed: number[] = [];
  const sources = {
    devices: {
      get: () => {
        throw new Error("not asked for");
      },
      listVisibleIds: () => {
        listed.push(round);
        const end = performance.now() + LISTING_MS;
        while (performance.now() < end);
        return ["one" as DeviceId];
      },
    },
    activityOf: () => ({ active: true, lastActivityAt: 1 }) as never, // of these fields alone
    store: { latestJson: async () => new Map() },
  };
  const snapshot = async (id: string) => {
    const subscription = { id, topics: new Set(["devices"]), deviceIds: undefined, keys: {} };
    const texts: string[] = [];
    const messages = snapshotMessages(sources, {} as Principal, subscription as unknown as Subscription);
    for await (const text of messages) texts.push(text);
    return texts;
  };
  const snapshots = await Promise.all(["a", "b", "c", "d"].map(snapshot));
  isOver = true;
  expect(snapshots.map((texts) => JSON.parse(texts.join()).id)).toEqual(["a", "b", "c", "d"]);
  expect(new Set(listed).size).toBe(4);
});
