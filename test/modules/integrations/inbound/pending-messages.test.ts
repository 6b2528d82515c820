import { expect, test } from "bun:test";
import type { IntegrationEventsRepository } from "../../../../src/modules/integrations/events/integration-events.repository.ts";
import type { LiveIntegration } from "../../../../src/modules/integrations/inbound/live-integration.ts";
import { PendingMessages } from "../../../../src/modules/integrations/inbound/pending-messages.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const runTasks = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test("an integration with slow messages does not delay those of other integrations", async () => {
  const clock = new FakeClock();
  const waiting = new Map([
    ["slow", ["s1"]],
    ["quick", ["q1"]],
  ]);
  const resumed: string[] = [];
  const event = (integrationId: string, eventId: string) => ({ integrationId, eventId, status: "PENDING" });
  const pending = new PendingMessages({
    repository: {
      nextSeq: () => 1,
      listWaiting: () => [...waiting.keys()],
      listPending: (integrationId: string) => waiting.get(integrationId) ?? [],
      find: event,
      forgetSeen: () => 0,
    } as unknown as IntegrationEventsRepository,
    pipeline: {
      resume(_live: LiveIntegration, { integrationId, eventId }: { integrationId: string; eventId: string }) {
        resumed.push(eventId);
        if (integrationId === "slow") return new Promise<never>(() => undefined);
        waiting.delete(integrationId);
        return Promise.resolve({});
      },
    } as never,
    liveOf: () => ({}) as LiveIntegration,
    clock,
    log: createLogger("test"),
  });
  pending.start();
  await runTasks();
  expect(resumed).toEqual(["s1", "q1"]);
  waiting.set("quick", ["q2"]);
  clock.advance(5_000);
  await runTasks();
  expect(resumed).toEqual(["s1", "q1", "q2"]);
  pending.stop();
});
