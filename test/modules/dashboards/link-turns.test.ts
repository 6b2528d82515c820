import { expect, test } from "bun:test";
import { sharedDashboardRoutes } from "../../../src/modules/dashboards/shares.routes.ts";
import type { SharesService } from "../../../src/modules/dashboards/shares.service.ts";
import { ResponseSpace } from "../../../src/platform/load/response-space.ts";

test("requests for all links of a tenant are answered two at a time, and those of another tenant meanwhile", async () => {
  const ends: Array<() => void> = [];
  const begun: string[] = [];
  const shares = {
    execute: (token: string) => {
      const [tenantId = "", userId = ""] = token.split("-");
      return {
        reader: { tenantId, userId },
        atEnd: () => undefined,
        async read() {
          begun.push(token);
          await new Promise<void>((resolve) => ends.push(resolve));
          throw new Error("over");
        },
      };
    },
  } as unknown as SharesService;
  const app = sharedDashboardRoutes({ shares, responses: new ResponseSpace() });
  const ask = (token: string) =>
    app.handle(
      new Request("http://gateway/api/shared/dashboard", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "{}",
      }),
    );
  const all = ["a-1", "a-2", "a-3", "a-4", "b-1"].map(ask);
  await Bun.sleep(20);
  expect(begun).toEqual(["a-1", "a-2", "b-1"]);
  while (ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await Bun.sleep(5);
  }
  await Promise.all(all);
  expect(begun).toEqual(["a-1", "a-2", "b-1", "a-3", "a-4"]);
});
