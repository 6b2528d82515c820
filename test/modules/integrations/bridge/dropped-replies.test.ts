import { expect, spyOn, test } from "bun:test";
import type { TenantId } from "../../../../src/lib/core/ids.ts";
import type { DomainEvents } from "../../../../src/modules/events.types.ts";
import { BridgeFleet } from "../../../../src/modules/integrations/bridge/bridge-fleet.ts";
import { createBridges } from "../../../../src/modules/integrations/bridge/bridges.ts";
import type { Integration } from "../../../../src/modules/integrations/integrations.resource.ts";
import { createEventBus } from "../../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { until } from "../../../support/until.ts";

type Deps = Parameters<typeof createBridges>[0];

test("each reply that the broker has no room for is a fault of its integration", async () => {
  const log = createLogger("test");
  const events = createEventBus<DomainEvents>(log);
  const faults: DomainEvents["fault.occurred"][] = [];
  events.on("fault.occurred", (fault) => void faults.push(fault));
  // All that a fleet asks for that is not started.
  const deps = { repository: { listStarted: () => [] }, reach: {}, clock: new FakeClock(), events, log };
  const { reply } = createBridges(deps as unknown as Deps);
  const rooms = [true, false, false];
  const published = spyOn(BridgeFleet.prototype, "reply").mockImplementation(
    async () => rooms.shift() === true,
  );
  const integration = { integrationId: "i", tenantId: "t" as TenantId, name: "Line 1" } as Integration;
  const message = { topic: "NCMD", payload: "rebirth", qos: 0 } as const;
  reply(integration, [message, message, message]);
  await until(() => faults.length === 2 && rooms.length === 0);
  published.mockRestore();
  const subject = { kind: "integration", id: "i", name: "Line 1" };
  const fault = { code: "fault.integration_replies_dropped", source: "integration", tenantId: "t", subject };
  expect(faults).toMatchObject([fault, fault]);
});
