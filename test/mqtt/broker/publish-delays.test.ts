import { expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { RateMeter } from "../../../src/lib/data/rate-meter.ts";
import { noProperties } from "../../../src/lib/mqtt/properties.ts";
import { PublishDelays } from "../../../src/mqtt/broker/publish-delays.ts";
import { IncomingMessages } from "../../../src/mqtt/connection/incoming-messages.ts";
import { principalOf } from "../../../src/mqtt/topics/principal.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { ArrayIngest, ManualClock } from "../mqtt-fixture.ts";

const limiterOf = (perSecond: number): RateMeter => {
  const limiter = new RateMeter();
  limiter.perSecond = perSecond;
  return limiter;
};

/** Lets everything pass that the rate allows at once. */
function spend(delays: PublishDelays, limiter: RateMeter): Promise<void> {
  for (;;) {
    const delay = delays.pass(limiter, 1);
    if (delay !== undefined) return delay;
  }
}

test("messages beyond a rate wait in their order", async () => {
  const clock = new ManualClock();
  const delays = new PublishDelays(clock);
  const limiter = limiterOf(1);
  const passed: string[] = [];
  const waiting = [
    spend(delays, limiter).then(() => passed.push("first")),
    delays.pass(limiter, 1)?.then(() => passed.push("second")),
  ];
  expect(passed).toEqual([]);
  clock.release();
  await Promise.all(waiting);
  expect(passed).toEqual(["first", "second"]);
  expect(waiting).not.toContain(undefined);
});

test("no more than 16 MB of a client wait", () => {
  const delays = new PublishDelays(new ManualClock());
  const limiter = limiterOf(1);
  void spend(delays, limiter);
  const large = 1024 * 1024;
  const sendLarge = () => {
    for (let count = 0; count < 20; count++) void delays.pass(limiter, large);
  };
  expect(sendLarge).toThrow(/wait for its rate/);
  expect(delays.pass(limiterOf(1), large)).toBeUndefined();
});

test("a new rate does not wait for messages under the old one", () => {
  const delays = new PublishDelays(new ManualClock());
  void spend(delays, limiterOf(1));
  expect(delays.pass(limiterOf(1_000), 1)).toBeUndefined();
});

test("nothing that waited is published once its client was changed", async () => {
  const clock = new ManualClock();
  const published: string[] = [];
  const messages = new IncomingMessages({
    ingest: new ArrayIngest(),
    log: createLogger("test"),
    delays: new PublishDelays(clock),
    onForbidden: () => undefined,
    broker: () =>
      ({
        publish: async (_space: string, { topic }: { topic: string }) => void published.push(topic),
      }) as never,
  });
  const application = {
    applicationId: "client",
    tenantId: "tenant" as TenantId,
    revoked: false,
    isReplaced: false,
    limiter: limiterOf(1),
    maySubscribe: () => true,
    mayPublish: () => true,
  };
  const message = {
    payload: Buffer.from("x"),
    qos: 1,
    retain: true,
    properties: noProperties,
    from: undefined,
  } as const;
  const publish = (topic: string) => messages.take(principalOf({ application }), { ...message, topic });
  for (let count = 0; count < 10; count++) await publish("burst");
  const waiting = publish("waits");
  application.isReplaced = true;
  clock.release();
  await expect(waiting).rejects.toThrow();
  expect(published).not.toContain("waits");
});
