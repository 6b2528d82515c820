// Servers that report changes, as no true server does: what they do not report is read, and what is too much is counted.
import { afterAll, afterEach, beforeAll, expect, spyOn, test } from "bun:test";
import { PublishResponse } from "node-opcua-client";
import {
  OpcUaSubscriptions,
  type ReportingSession,
} from "../../../src/platform/opcua/opcua-subscriptions.ts";
import { opcuaLines } from "../../support/opcua-line.ts";
import {
  doubleValue,
  type Exchange,
  itemsCreated,
  type Misconduct,
  published,
  reads,
  request,
  subscribed,
  textValue,
} from "../../support/opcua-server.ts";
import { until } from "../../support/until.ts";

const lines = opcuaLines();
const items = ["ns=1;i=1", "ns=1;i=2"].map((node) => ({ node, intervalMs: 100 }));
const TOO_MANY_ITEMS = 0x80db_0000;
const TOO_MANY_SUBSCRIPTIONS = 0x8077_0000;

/** Whether a request reads one node, whose description takes 18 bytes: the limit of a call, or a variable that is polled. */
const isOfOneNode = (message: Buffer) => message.readUInt32LE(message.length - 18 - 4) === 1;

beforeAll(lines.start);
afterEach(lines.clear);
afterAll(lines.end);

/** A server with two variables, and the requests to publish that wait. The limit of a response is long where no test waits for it. */
async function reporting(own: Misconduct["on"] = {}, timeoutMs = 10_000) {
  const waiting: Exchange[] = [];
  let subscriptions = 0;
  const server = await lines.serve({
    on: {
      [request.read]: ({ message, answer: response }) =>
        response(isOfOneNode(message) ? reads(doubleValue(7)) : reads(doubleValue(1), doubleValue(2))),
      [request.createSubscription]: ({ answer: response }) => response(subscribed(++subscriptions)),
      [request.createItems]: ({ answer: response }) => response(itemsCreated(0, 0)),
      [request.publish]: (exchange) => void waiting.push(exchange),
      ...own,
    },
  });
  const line = await lines.open(server.port, { timeoutMs });
  const watch = await line.request("watch", { items });
  const report = async (body: Buffer) => {
    await until(() => waiting.length > 0);
    waiting.shift()?.answerInChunks(body);
  };
  const fetched = () => line.request("changes", { list: watch.list });
  return { server, line, watch, report, fetched, changes: async () => (await fetched()).changes };
}

const arrived = async (changes: () => Promise<readonly unknown[]>) => {
  let found: readonly unknown[] = [];
  await until(async () => {
    found = await changes();
    return found.length > 0;
  });
  return found;
};

test("changes arrive in their order, and what was read before does not come twice", async () => {
  const { watch, report, changes } = await reporting();
  expect(watch.reads).toEqual([
    { status: 0, value: 1 },
    { status: 0, value: 2 },
  ]);
  expect(watch.sampledMs).toEqual([100, 100]);
  await report(
    published(1, [
      [1, doubleValue(1)],
      [2, doubleValue(2)],
      [2, doubleValue(3)],
      [2, doubleValue(2)],
    ]),
  );
  expect(await arrived(changes)).toEqual([
    {
      index: 1,
      reads: [
        { status: 0, value: 3 },
        { status: 0, value: 2 },
      ],
      left: 0,
    },
  ]);
  await report(published(1, []));
  expect(await changes()).toEqual([]);
});

test("variables of a server without subscriptions are read", async () => {
  const { watch, server, changes } = await reporting({
    [request.createSubscription]: ({ answer: response }) => response(Buffer.alloc(0), 0x800b_0000),
  });
  expect(watch.sampledMs).toEqual([undefined, undefined]);
  expect(await changes()).toEqual([
    { index: 0, reads: [{ status: 0, value: 1 }], left: 0 },
    { index: 1, reads: [{ status: 0, value: 2 }], left: 0 },
  ]);
  expect(server.requests).not.toContain(request.publish);
});

test("a server that wants no more variables in a subscription gets another one, and what none takes is read", async () => {
  const responses = [itemsCreated(0, TOO_MANY_ITEMS), itemsCreated(TOO_MANY_ITEMS)];
  const { watch, server, changes } = await reporting({
    [request.createItems]: ({ answer: response }) =>
      response(responses.shift() ?? itemsCreated(TOO_MANY_ITEMS)),
    [request.createSubscription]: ({ answer: response }) =>
      responses.length === 0
        ? response(Buffer.alloc(0), TOO_MANY_SUBSCRIPTIONS)
        : response(subscribed(3 - responses.length)),
  });
  expect(watch.sampledMs).toEqual([100, undefined]);
  expect(await changes()).toEqual([{ index: 1, reads: [{ status: 0, value: 7 }], left: 0 }]);
  expect(server.requests.filter((kind) => kind === request.createSubscription)).toHaveLength(2);
});

test("values of a server that floods are left out and counted", async () => {
  const { report, changes } = await reporting();
  const flood = Array.from({ length: 250 }, (_, index) => [1, doubleValue(index + 10)] as const);
  await report(published(1, flood));
  const [{ reads: kept, left }] = (await arrived(changes)) as [{ reads: { value: number }[]; left: number }];
  expect([kept.length, left, kept.at(-1)?.value]).toEqual([100, 150, 259]);
});

test("very many waiting values are fetched in parts, all of them and in their order", async () => {
  const { report, fetched } = await reporting();
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const long = (handle: number) =>
    numbers.map((number) => [handle, textValue(`${number}`.padStart(5_000))] as const);
  await report(published(1, [...long(1), ...long(2)]));
  const parts: Awaited<ReturnType<typeof fetched>>[] = [];
  const valuesOf = (index: number) =>
    parts
      .flatMap(({ changes }) => changes.filter((change) => change.index === index))
      .flatMap(({ reads: own }) => own.map(({ value }) => Number(value)));
  await until(async () => {
    parts.push(await fetched());
    return valuesOf(1).length > 0;
  });
  expect([valuesOf(0), valuesOf(1)]).toEqual([numbers, numbers]);
  expect(parts.slice(-2).map(({ changes, hasMore }) => [changes.length, hasMore])).toEqual([
    [1, true],
    [1, false],
  ]);
});

test("values beyond the memory of a session are counted, and the newest value is read", async () => {
  const { report, fetched } = await reporting();
  const long = (handle: number) =>
    Array.from({ length: 100 }, () => [handle, textValue("x".repeat(10_000))] as const);
  for (const handle of [1, 1, 2, 2]) await report(published(1, long(handle)));
  const newest = new Map<number, unknown>();
  let left = 0;
  await until(async () => {
    const { changes } = await fetched();
    for (const change of changes) {
      newest.set(change.index, change.reads.at(-1)?.value);
      left += change.left;
    }
    return newest.get(1) === 7;
  });
  expect(left).toBeGreaterThan(100);
});

test("a server that says nothing any more ends the connection", async () => {
  const { line, report, changes } = await reporting({}, 1_000);
  await report(published(1, []));
  await until(async () => {
    await changes().catch(() => undefined);
    return !line.isOpen;
  });
  expect(line.failure).toMatchObject({ code: "opcua.no_response" });
});

test("variables that nobody fetches any more are taken from the server, also if they were the last ones", async () => {
  const deleted: number[] = [];
  const waiting: ((error: null, response: PublishResponse) => void)[] = [];
  const session = {
    read: async () => ({ value: null }),
    createSubscription: async () => ({
      subscriptionId: 1,
      revisedPublishingInterval: 100,
      revisedMaxKeepAliveCount: 20,
    }),
    createMonitoredItems: async () => ({
      results: [{ statusCode: { value: 0 }, monitoredItemId: 9, revisedSamplingInterval: 100 }],
    }),
    deleteMonitoredItems: async ({ monitoredItemIds }: { monitoredItemIds: number[] }) =>
      void deleted.push(...monitoredItemIds),
    publish: (_: unknown, done: (typeof waiting)[number]) => void waiting.push(done),
  } as unknown as ReportingSession;
  const subscriptions = new OpcUaSubscriptions({
    session,
    timeoutMs: 1_000,
    read: async (nodes) => nodes.map(() => ({ status: 0, value: 1 })),
    resolve: async (nodes) => [...nodes],
    fail: () => undefined,
  });
  await subscriptions.watch([{ node: "ns=1;i=1", intervalMs: 100 }]);
  const publish = () => waiting.shift()?.(null, new PublishResponse({ subscriptionId: 1 }));
  publish();
  await until(() => waiting.length > 1);
  expect(deleted).toEqual([]);
  const later = performance.now() + 120_000;
  const clock = spyOn(performance, "now").mockImplementation(() => later);
  publish();
  await until(() => deleted.length > 0).finally(() => clock.mockRestore());
  expect(deleted).toEqual([9]);
  subscriptions.close();
});
