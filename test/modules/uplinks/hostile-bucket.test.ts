import { expect, test } from "bun:test";
import type { TargetContext } from "../../../src/modules/uplinks/target.types.ts";
import { S3Store } from "../../../src/modules/uplinks/targets/parquet/s3-store.ts";

test("a bucket whose pages have one object each, without end, is left", async () => {
  let pages = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response(
        `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${++pages}</NextContinuationToken><Contents><Key>p/${pages}</Key></Contents></ListBucketResult>`,
      ),
  });
  const place = {
    endpoint: `http://127.0.0.1:${server.port}`,
    region: "us-east-1",
    bucket: "plant",
    prefix: "",
    accessKeyId: "id",
    secretAccessKey: "secret",
  };
  const context = { resolve: async () => ["127.0.0.1"], now: () => Date.now() } as unknown as TargetContext; // what it uses
  const store = new S3Store(place, { tls: null, timeoutMs: 5_000, context });
  const error = await store.list("p/", AbortSignal.timeout(4_000)).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    reaction: "retry",
    params: { reason: { code: "network_error.response_too_long", params: {} } },
  });
  expect(pages).toBeLessThan(400);
  store.close();
  await server.stop(true);
});
