import { expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { TopicFollowers } from "../../../src/mqtt/topics/own-topics.ts";

const tenant = "t1" as TenantId;
const other = "t2" as TenantId;
const messageOf = (number: number) => ({ topic: "plant/a", payload: Uint8Array.of(number), qos: 0 as const });

/** Followers that end when they are told to. */
function followersOf(followers: TopicFollowers, tenantId: TenantId, count: number) {
  const begun: Array<{ readonly number: number; readonly end: () => void }> = [];
  for (let index = 0; index < count; index++)
    followers.add(tenantId, {
      filters: ["plant/#"],
      take: ({ payload }) => new Promise((resolve) => begun.push({ number: payload[0] ?? -1, end: resolve })),
    });
  return begun;
}

test("a tenant's messages wait in order while a thousand takings are under way, those of others do not", async () => {
  const followers = new TopicFollowers();
  const begun = followersOf(followers, tenant, 100);
  const begunOfOther = followersOf(followers, other, 1);
  const done: number[] = [];
  const shared = Uint8Array.of(0);
  for (let number = 0; number < 15; number++) {
    shared[0] = number; // the buffer of a connection, which is filled anew
    const taking = followers.offer(tenant, { ...messageOf(0), payload: shared });
    void taking?.then(() => done.push(number));
  }
  expect(begun).toHaveLength(1_000);
  void followers.offer(other, messageOf(7));
  expect(begunOfOther).toHaveLength(1);

  for (let index = 0; index < begun.length; index++) {
    begun[index]?.end();
    await Promise.resolve();
    await Promise.resolve();
    expect(begun.length - index).toBeLessThanOrEqual(1_100);
  }
  await Bun.sleep(0);
  expect(begun.map(({ number }) => number)).toEqual(
    Array.from({ length: 1_500 }, (_, index) => Math.floor(index / 100)),
  );
  expect(done).toEqual(Array.from({ length: 15 }, (_, number) => number));
});

test("a message that a follower refuses is refused, and leaves its room to the next", async () => {
  const followers = new TopicFollowers();
  followers.add(tenant, { filters: ["plant/#"], take: () => Promise.reject(new Error("full")) });
  for (let number = 0; number < 2_000; number++)
    expect(followers.offer(tenant, messageOf(number % 256))).rejects.toThrow("full");
  await Bun.sleep(0);
  const remove = followers.add(other, { filters: ["plant/#"], take: async () => undefined });
  expect(followers.offer(tenant, messageOf(1))).rejects.toThrow("full");
  remove();
  expect(followers.offer(other, messageOf(1))).toBeUndefined();
});
