import { describe, expect, test } from "bun:test";
import { compileTopicDevice } from "../../../../src/modules/integrations/bridge/topic-device.ts";

describe("a template", () => {
  const rows: [template: string, topic: string, device: string | undefined][] = [
    ["sensors/{device}/up", "sensors/a1/up", "a1"],
    ["sensors/{device}/up", "sensors/a1/down", undefined],
    ["sensors/{device}/up", "sensors/a1/up/more", undefined],
    ["sensors/{device}/up", "sensors//up", undefined],
    ["{device}", "kitchen", "kitchen"],
    ["+/{device}/#", "site/a1/x/y", "a1"],
    ["+/{device}/#", "site/a1", "a1"],
    ["+/{device}/#", "site", undefined],
    ["tele/dev-{device}-eu/SENSOR", "tele/dev-7-eu/SENSOR", "7"],
    ["tele/dev-{device}-eu/SENSOR", "tele/dev--eu/SENSOR", undefined],
    ["tele/aa{device}aa/x", "tele/aaa/x", undefined],
  ];
  test.each(rows)("%s finds in %s: %p", async (topicTemplate, topic, device) => {
    expect((await compileTopicDevice({ topicTemplate }))(topic)).toBe(device);
  });

  test.each(["sensors/+/up", "{device}/{device}"])("%s is refused", async (topicTemplate) => {
    expect(await compileTopicDevice({ topicTemplate }).catch((error) => error.message)).toContain("{device}");
  });
});

describe("a pattern", () => {
  const rows: [pattern: string, topic: string, device: string | undefined][] = [
    ["^sensors/([^/]+)/up$", "sensors/a1/up", "a1"],
    ["^sensors/([^/]+)/up$", "sensors/a1/down", undefined],
    ["^(site|plant)/(?<device>[^/]+)", "plant/a1/up", "a1"],
    ["^x/(a)?", "x/", undefined],
  ];
  test.each(rows)("%s finds in %s: %p", async (topicDeviceRegex, topic, device) => {
    expect((await compileTopicDevice({ topicDeviceRegex }))(topic)).toBe(device);
  });

  test("that is none is refused with the reason", async () => {
    const reason = (topicDeviceRegex: string) =>
      compileTopicDevice({ topicDeviceRegex }).catch((error) => `${error.kind} ${error.message}`);
    expect(await reason("sensors/(")).toStartWith("invalid `topicDeviceRegex` ");
    expect(await reason("(?=x)(y)")).toStartWith("invalid `topicDeviceRegex` ");
    expect(await reason("sensors/.*")).toContain("must have a group");
    expect(await reason(`(${"a".repeat(600)})`)).toContain("at most 500 characters");
    expect(await reason("((a{1000}){1000}){1000}")).toStartWith("invalid `topicDeviceRegex` ");
    // Seconds a topic, though in proportion to its length.
    expect(await reason(`(${"[^a]{0,999}".repeat(44)})$`)).toContain("repeats too often");
  });

  test("that takes for ever elsewhere takes no time here, whatever the topic", async () => {
    for (const topicDeviceRegex of ["^((a+)+)+$", "^((a|a)*)*$", "^(.*a){20}$"]) {
      const find = await compileTopicDevice({ topicDeviceRegex });
      // A backtracking engine would not come back from any of these in a lifetime.
      for (const length of [30, 1_000, 60_000]) expect(find(`${"a".repeat(length)}!`)).toBeUndefined();
    }
  });
});

test("nothing is found in a topic that is longer than any device's, and without a template or a pattern", async () => {
  const find = await compileTopicDevice({ topicTemplate: "{device}" });
  expect(find("a".repeat(1_024))).toHaveLength(1_024);
  expect(find("a".repeat(1_025))).toBeUndefined();
  expect((await compileTopicDevice({}))("a")).toBeUndefined();
});
