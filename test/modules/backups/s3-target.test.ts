// What an operator reads when the bucket cannot be used.
import { expect, test } from "bun:test";
import { DomainError, inEnglish } from "../../../src/lib/core/domain-error.ts";
import { S3Target } from "../../../src/modules/backups/snapshot-repository.ts";
import { freePort } from "../../support/free-port.ts";

async function failureAt(port: number): Promise<string> {
  const target = new S3Target({
    kind: "s3",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    bucket: "plant",
    prefix: "",
    accessKeyId: "id",
    secretAccessKey: "secret",
  });
  const error: unknown = await target.list("packs/").catch((reason: unknown) => reason);
  return error instanceof DomainError ? inEnglish(error) : String(error);
}

test.concurrent("a server that is away is named as such", async () => {
  expect(await failureAt(await freePort())).toContain(
    "No program accepts connections at this address and port (connection refused).",
  );
});

test.concurrent("a server that refuses is quoted", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () =>
      new Response("<Error><Code>AccessDenied</Code><Message>Not for you.</Message></Error>", {
        status: 403,
        headers: { "content-type": "application/xml" },
      }),
  });
  expect(await failureAt(server.port ?? 0)).toContain("cannot be used: Not for you.");
  await server.stop(true);
});
