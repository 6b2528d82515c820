// Secrets in the addresses of webhooks, which lists, searches and faults must not show.
import { expect, test } from "bun:test";
import { sealAddresses } from "../../../src/modules/outbound/outbound.repository.ts";
import { sealAddress } from "../../../src/modules/outbound/outbound-writer.ts";
import { createSealedBox } from "../../../src/platform/secrets/sealed-box.ts";
import { createRig, database, repository, useDatabase } from "./delivery-fixture.ts";

useDatabase();

const box = createSealedBox(new Uint8Array(32), "test");
const SECRET = "a1B2c3D4e5F6g7H8i9J0k1";

test("addresses that were stored readable are sealed with their secrets, and others stay as they are", () => {
  const rig = createRig();
  const urls = [
    `http://a.example/hooks/${SECRET}/in`,
    `http://a.example/?token=${SECRET}`,
    "http://a.example/in",
  ];
  const ids = urls.map((url, index) => {
    const { targetId } = rig.target(`of ${index}`);
    database.sqlite.run("UPDATE outbound_targets SET url = ?, url_sealed = NULL WHERE target_id = ?", [
      url,
      targetId,
    ]);
    return targetId;
  });
  for (let start = 0; start < 2; start++) sealAddresses(database, (url) => sealAddress(url, box));
  const stored = ids.map((id) => repository.findTarget(id));
  expect(stored.map((target) => target?.url.includes(SECRET))).toEqual([false, false, false]);
  expect(stored.map((target) => target?.urlSealed && box.open(target.urlSealed))).toEqual([
    urls[0],
    urls[1],
    null,
  ]);
  expect(stored[2]?.url).toBe("http://a.example/in");
});
