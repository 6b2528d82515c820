import { expect, test } from "bun:test";
import fc from "fast-check";
import { keysOfDevices } from "../../src/web/features/dashboards/widget-dialog.tsx";

test("each key that one of the devices sends is listed, however many there are", async () => {
  const sites = fc.array(fc.uniqueArray(fc.constantFrom("energy", "voltage", "temperature", "x,y")), {
    maxLength: 40,
  });
  const check = async (keys: readonly string[][]) => {
    const all = [...new Set(keys.flat())].sort();
    const api = {
      keys: async (id: string) => (keys[Number(id)] ?? []).map((key) => ({ key })),
      siteKeys: async () => all.toReversed(),
    };
    expect(
      await keysOfDevices(
        keys.map((_, index) => String(index)),
        api,
      ),
    ).toEqual(all);
  };
  await fc.assert(fc.asyncProperty(sites, check), { numRuns: 200 });
});
