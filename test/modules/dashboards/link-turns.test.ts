import { expect, test } from "bun:test";
import { sharedDashboardRoutes } from "../../../src/modules/dashboards/shares.routes.ts";
import type { SharesService } from "../../../src/modules/dashboards/shares.service.ts";
import { ResponseSpace } from "../../../src/platform/load/response-space.ts";
import { until } from "../../support/until.ts";

test("requests for all links of a tenant are answered two at a time, and those of another tenant meanwhile", async () => {
  const ends: Array<() => void> = [];
  const begun: string[] = [];
  const shares = {
    execute: (token: string) => {
      const [tenantId = ""] = token.split("-");
      return {
        tenantId,
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

test("what visitors of all links leave unread is bounded like one user's responses", async () => {
  const responses = new ResponseSpace({ all: 64, tenant: 48, user: 32 });
  const bytes = 20 * 1024 * 1024;
  const refusals: unknown[] = [];
  const shares = {
    execute: () => ({
      tenantId: "a",
      atEnd: () => undefined,
      async read(room: { reserve(bytes: number): void }) {
        try {
          room.reserve(bytes);
        } catch (error) {
          refusals.push(error);
          throw error;
        }
        await new Promise(() => undefined); // a visitor who takes nothing
      },
    }),
  } as unknown as SharesService;
  const app = sharedDashboardRoutes({ shares, responses });
  for (const link of ["one", "two"])
    void app.handle(
      new Request("http://gateway/api/shared/dashboard", {
        method: "POST",
        headers: { authorization: `Bearer ${link}`, "content-type": "application/json" },
        body: "{}",
      }),
    );
  await until(() => refusals.length > 0);
  expect([refusals.length, responses.used]).toEqual([1, bytes]);
  const user = responses.openFor({ tenantId: "a", userId: "ann" });
  user.hold(16 * 1024 * 1024);
  expect(responses.used).toBe(bytes + 16 * 1024 * 1024);
});
