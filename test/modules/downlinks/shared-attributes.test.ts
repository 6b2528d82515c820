import { expect, test } from "bun:test";
import { unavailable } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { SharedAttributes } from "../../../src/modules/downlinks/shared-attributes.ts";
import type { Integration } from "../../../src/modules/integrations/integrations.resource.ts";
import { until } from "../../support/until.ts";

/** Any event of any integration has the changes sent again that brokers have not accepted. */

const integration = {
  integrationId: "broker",
  settings: { mqtt: { attributesTopic: "devices/{device}/attributes" } },
} as Integration;

test("devices with unsent changes are retried in turns", async () => {
  const devices = Array.from({ length: 40 }, (_, index) => `device ${index}` as DeviceId);
  const tried: string[] = [];
  let waiting = 0;
  const shared = new SharedAttributes({
    externalIdOf(deviceId) {
      Bun.sleepSync(1); // a read
      tried.push(deviceId);
      return deviceId;
    },
    integrationOf: () => integration,
    changesSince: async () => ({ changeId: 1, values: new Map([["interval", 1]]), deleted: [] }),
    sentChange: () => 0,
    saveSent: () => undefined,
    publish: () => Promise.reject(unavailable("response.unread")),
    log: { info: () => void waiting++ } as never, // what it uses of a log when a broker refuses
  });
  for (const deviceId of devices) shared.changed(deviceId);
  await until(() => waiting === devices.length);
  tried.length = 0;
  shared.retry();
  expect(tried.length).toBeLessThan(devices.length);
  await until(() => tried.length === devices.length);
  expect(tried.toSorted()).toEqual(devices.toSorted());
});
