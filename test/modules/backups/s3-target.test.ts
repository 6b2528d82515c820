// What an operator reads when the bucket cannot be used.
import { expect, test } from "bun:test";
import { DomainError, inEnglish } from "../../../src/lib/core/domain-error.ts";
import { S3Target } from "../../../src/modules/backups/targets/s3-target.ts";
import { freePort } from "../../support/free-port.ts";

const targetAt = (port: number) =>
  new S3Target({
    kind: "s3",
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    bucket: "plant",
    prefix: "",
    accessKeyId: "id",
    secretAccessKey: "secret",
  });

async function failureAt(
  port: number,
  work = (target: S3Target): Promise<unknown> => target.list("packs/"),
): Promise<string> {
  const error: unknown = await work(targetAt(port)).catch((reason: unknown) => reason);
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

const CHUNK = new Uint8Array(1024 * 1024).fill(97);
/** Counts what a hostile server sends; its bodies have no end. */
function hostileServer(response: (url: URL, requests: number) => Response) {
  const sent = { requests: 0, bytes: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => response(new URL(request.url), ++sent.requests),
  });
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent.bytes += CHUNK.length;
          controller.enqueue(CHUNK);
        },
      }),
    );
  return { port: server.port ?? 0, sent, endless, stop: () => server.stop(true) };
}
const page = (content: string, next: number) =>
  `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>${content}</ListBucketResult>`;
const objects = (count: number, page: number) =>
  Array.from(
    { length: count },
    (_, index) => `<Contents><Key>packs/${page}-${index}</Key><Size>1</Size></Contents>`,
  ).join("");

test.concurrent("a list without end is too long", async () => {
  const endless = hostileServer(() => endless.endless());
  expect(await failureAt(endless.port)).toContain("The response was too long.");
  expect(endless.sent.bytes).toBeLessThan(64 * 1024 * 1024);
  await endless.stop();
});

test.concurrent.each([
  ["of a thousand objects", 1_000],
  ["of one object", 1],
  ["without an object", 0],
])("pages %s without end are too long", async (_, count) => {
  const pages = hostileServer((_, requests) => new Response(page(objects(count, requests), requests)));
  expect(await failureAt(pages.port)).toContain("The response was too long.");
  expect(pages.sent.requests).toBeLessThan(400);
  await pages.stop();
});

test.concurrent("a page of more objects than servers send is too long", async () => {
  const pages = hostileServer((_, requests) => new Response(page(objects(10_001, requests), requests)));
  expect(await failureAt(pages.port)).toContain("The response was too long.");
  expect(pages.sent.requests).toBe(1);
  await pages.stop();
});

test.concurrent("an object without end is damaged", async () => {
  const server = hostileServer(() => server.endless());
  for (const name of ["repository.json", "snapshots/1.json", "packs/1"])
    expect(await failureAt(server.port, (target) => target.read(name))).toContain(`${name} is damaged.`);
  expect(server.sent.bytes).toBeLessThan(128 * 1024 * 1024);
  await server.stop();
});

test.concurrent("a redirect is refused, not followed", async () => {
  const other = hostileServer(() => new Response("secret"));
  const location = `http://127.0.0.1:${other.port}/`;
  const server = hostileServer(() => new Response(null, { status: 307, headers: { location } }));
  expect(await failureAt(server.port, (target) => target.read("packs/1"))).toContain("307");
  expect(other.sent.requests).toBe(0);
  await Promise.all([server.stop(), other.stop()]);
});

test.concurrent("a page that is not a list of objects does not pass for an empty one", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("<html>Sign in</html>"),
  });
  expect(await failureAt(server.port ?? 0)).toContain("does not send a list of objects");
  await server.stop(true);
});

test.concurrent("a list of something else, as a cache that ignores queries sends, does not pass for one of packs", async () => {
  const server = hostileServer(
    () =>
      new Response("<ListBucketResult><Contents><Key>snapshots/1.json</Key></Contents></ListBucketResult>"),
  );
  expect(await targetAt(server.port).list("snapshots/")).toEqual(["snapshots/1.json"]);
  expect(await failureAt(server.port)).toContain("does not send a list of objects");
  await server.stop();
});

test.concurrent.each([
  ["that was cut off", "<ListBucketResult><Contents><Key>packs/1</Key></Contents><Contents><Key>pac"],
  [
    "that does not tell where it continues",
    "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>packs/1</Key></Contents></ListBucketResult>",
  ],
])("a list %s does not pass for a whole one", async (_, xml) => {
  const server = hostileServer(() => new Response(xml));
  expect(await failureAt(server.port)).toContain("does not send a list of objects");
  await server.stop();
});
