import { expect, test } from "bun:test";
import { stopInTime } from "../../src/cli/commands/serve.ts";

test("a stop that takes too long is ended by what follows it, such as the start of a new version", async () => {
  const late = Promise.withResolvers<string>();
  const onLate = () => {
    late.resolve("restarted");
    return undefined as never;
  };
  void stopInTime({ stop: () => new Promise(() => undefined) }, onLate, 1);
  expect(await late.promise).toBe("restarted");
});

test("a stop in time is followed by nothing else", async () => {
  let isLate = false;
  const onLate = () => {
    isLate = true;
    return undefined as never;
  };
  await stopInTime({ stop: async () => undefined }, onLate, 1);
  await Bun.sleep(10);
  expect(isLate).toBe(false);
});
