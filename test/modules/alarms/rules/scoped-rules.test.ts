import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import type { DeviceId, ProfileId, TenantId } from "../../../../src/lib/core/ids.ts";
import { createProfileRules } from "../../../../src/modules/alarms/rules/profile-rules.ts";
import type { Device } from "../../../../src/modules/devices/devices.types.ts";
import type { DomainEvents } from "../../../../src/modules/events.types.ts";
import { createEventBus } from "../../../../src/platform/core/event-bus.ts";
import { createLogger } from "../../../../src/platform/core/log.ts";

const log = createLogger("test");
const RULES = 200;
const KEYS = 20;
const TAGS = 50;

const device = {
  tenantId: "tenant" as TenantId,
  profileId: "profile" as ProfileId,
  deviceId: "device" as DeviceId,
};

const rules = Array.from({ length: RULES }, (_, rule) => ({
  alarmType: `alarm ${rule}`,
  appliesTo: { tags: [`tag ${rule % TAGS}`] },
  createRules: [
    {
      severity: "WARNING",
      condition: {
        all: Array.from({ length: KEYS }, (_, key) => ({ key: `${rule} ${key}`, op: "GT", value: key })),
      },
    },
  ],
}));

/** The tags whose bit of the number is set; the bits repeat. */
const tagsOf = (number: number): string[] =>
  Array.from({ length: TAGS }, (_, tag) => tag).flatMap((tag) =>
    (number >> (tag % 8)) & 1 ? [`tag ${tag}`] : [],
  );

function start() {
  const events = createEventBus<DomainEvents>(log);
  let tags: readonly string[] = [];
  const describe = () => ({ ...device, deviceType: "pump", tags }) as unknown as Device; // what scopes look at
  const rulesOf = createProfileRules({ rulesOf: () => rules, describe, events, log });
  return {
    rules: () => rulesOf(device),
    setTags(changed: readonly string[]) {
      tags = changed;
      events.emit("device.updated", { ...device, changed: [] } as unknown as DomainEvents["device.updated"]);
    },
  };
}

test("a device is judged by the keys of the rules that watch it, and by no others", () => {
  const { rules: found, setTags } = start();
  setTags(["tag 3"]);
  const watching = rules.filter(({ appliesTo }) => appliesTo.tags[0] === "tag 3");
  expect(found()?.all.map(({ alarmType }) => alarmType)).toEqual(watching.map(({ alarmType }) => alarmType));
  expect(
    found()
      ?.byKey.get("3 0")
      ?.map(({ alarmType }) => alarmType),
  ).toEqual(["alarm 3"]);
  expect(found()?.bounds.get("53 1")?.bounds.length).toBe(1);
  for (const key of ["4 0", "no such key"]) {
    expect(found()?.byKey.has(key)).toBe(false);
    expect(found()?.bounds.has(key)).toBe(false);
  }
  setTags([]);
  expect(found()).toBeUndefined();
});

test("a device whose tags change again and again takes no more memory", () => {
  const { rules: found, setTags } = start();
  const change = (number: number) => {
    setTags(tagsOf(number));
    found()?.bounds.get("0 0");
  };
  const heapBytes = () => {
    Bun.gc(true);
    return heapStats().heapSize;
  };
  change(0);
  const before = heapBytes();
  for (let number = 1; number < 200; number++) change(number);
  expect(heapBytes() - before).toBeLessThan(8 * 1024 * 1024);
});
