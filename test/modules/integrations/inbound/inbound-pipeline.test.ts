import { describe, expect, test } from "bun:test";
import { createEventTokens } from "../../../../src/modules/integrations/events/event-tokens.ts";
import { InboundPipeline } from "../../../../src/modules/integrations/inbound/inbound-pipeline.ts";
import type { LiveIntegration } from "../../../../src/modules/integrations/inbound/live-integration.ts";
import type { Integration } from "../../../../src/modules/integrations/integrations.resource.ts";
import type { InboundMessage } from "../../../../src/modules/integrations/integrations.types.ts";
import { createSealedBox } from "../../../../src/platform/secrets/sealed-box.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const source: InboundMessage = {
  receivedAt: 1,
  encoding: "AUTO",
  bytes: new TextEncoder().encode("{}"),
};

/** Every message is one of the same key; what is done with it is given. */
function pipelineWith(workThrough: () => Promise<void>) {
  const seen = new Set<string>();
  let worked = 0;
  let events = 0;
  const pipeline = new InboundPipeline({
    eventLog: {
      add(_, seenKey) {
        events += 1;
        if (seenKey !== undefined) seen.add(seenKey);
        return { eventId: `event-${events}`, written: Promise.resolve() };
      },
      finish: () => Promise.resolve(),
    },
    repository: { isSeen: (_, key) => seen.has(key) },
    backlog: { ensure: () => undefined },
    workThrough: async () => {
      worked += 1;
      await workThrough();
    },
    tokens: createEventTokens(createSealedBox(new Uint8Array(32), "test")),
    reply: () => undefined,
    clock: new FakeClock(),
  });
  const live: LiveIntegration = {
    integration: { integrationId: "integration-1" } as Integration,
    settings: {},
    adapter: { normalize: () => ({ messages: [], dedupKey: "uplink-7" }) },
    steps: [],
    script: undefined,
  };
  return { take: () => pipeline.take(live, source), worked: () => worked };
}

describe("the same message in one tick", () => {
  test("is worked on once", async () => {
    const { take, worked } = pipelineWith(() => Promise.resolve());
    const taken = await Promise.all([take(), take(), take()]);
    expect(worked()).toBe(1);
    expect(taken.slice(1).map(({ status, text }) => [status, text.code])).toEqual([
      ["DROPPED", "integration_event.repeated"],
      ["DROPPED", "integration_event.repeated"],
    ]);
  });

  test("is worked on again where the first could not be taken", async () => {
    let isFirst = true;
    const { take, worked } = pipelineWith(async () => {
      if (!isFirst) return;
      isFirst = false;
      throw new Error("disk full");
    });
    const taken = await Promise.allSettled([take(), take(), take()]);
    expect(taken.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(worked()).toBe(2);
  });
});
