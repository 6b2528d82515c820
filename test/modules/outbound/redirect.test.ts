import { expect, test } from "bun:test";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createOutboundSender } from "../../../src/modules/outbound/outbound-sender.ts";
import type { SealedBox } from "../../../src/platform/secrets/sealed-box.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const attempt = (status: number, location: string | undefined, sealed?: string) =>
  createOutboundSender({
    exchange: async () => ({ status, headers: { location }, body: Buffer.from("secret") }),
    box: { open: (text: string) => text } as unknown as SealedBox,
    userAgent: "test",
    clock: new FakeClock(),
  }).attempt(
    {
      tenantId: "t" as TenantId,
      target: {
        url: "http://plant.example/hook",
        sealedUrl: sealed === undefined ? undefined : { sealed },
        method: "POST",
        headers: {},
        timeoutMs: 1_000,
        secret: null,
      },
      deliveryId: "d",
      contentType: "application/json",
      body: "{}",
    },
    new AbortController().signal,
  );

test.each([
  [301, "https://plant.example/new", { status: 301, address: "https://plant.example/new" }],
  [308, "/other?token=secret", { status: 308, address: "http://plant.example/other" }],
  [302, "https://user:secret@plant.example/", { status: 302, address: "https://plant.example/" }],
])("a %p names where it leads, without what may be secret", async (status, location, params) => {
  expect((await attempt(status, location)).error).toEqual({ code: "delivery_error.redirect", params });
});

test("the path of an address that is a secret is not named", async () => {
  const secret = "http://plant.example/botSECRET/send";
  expect((await attempt(301, "https://plant.example/botSECRET/send", secret)).error).toEqual({
    code: "delivery_error.redirect",
    params: { status: 301, address: "https://plant.example" },
  });
});

test.each([
  [301, undefined],
  [301, "javascript:alert(1)"],
  [500, "https://plant.example/new"],
] as const)("a %p to %p is only a status", async (status, location) => {
  expect((await attempt(status, location)).error).toEqual({
    code: "delivery_error.status",
    params: { status },
  });
});
