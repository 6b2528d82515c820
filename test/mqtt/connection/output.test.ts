// What a connection sends: joined within a turn of the event loop, and kept while the peer takes nothing.
import { expect, test } from "bun:test";
import { Output, WrittenOutputs } from "../../../src/mqtt/connection/output.ts";
import { ReaderPool } from "../../../src/mqtt/connection/reader-pool.ts";
import type { MqttTransport } from "../../../src/mqtt/mqtt.types.ts";

/** A peer that takes what `takes` allows; `sent` has each call of the system as text. */
function createPeer(written: WrittenOutputs, takes: () => boolean = () => true) {
  const sent: string[] = [];
  const transport: MqttTransport = {
    remoteAddress: "192.0.2.1",
    write(bytes) {
      sent.push(new TextDecoder().decode(bytes));
      return takes();
    },
    close() {},
    pause() {},
    resume() {},
  };
  return { sent, output: new Output(transport, written) };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const endOfTurn = () => Promise.resolve();

test("sends what one turn writes to a client at once, for each client", async () => {
  const written = new WrittenOutputs();
  const [first, second] = [createPeer(written), createPeer(written)];
  first.output.write(bytes("a"));
  second.output.write(bytes("x"));
  first.output.write(bytes("b"));
  expect(first.sent).toEqual([]);
  await endOfTurn();
  expect(first.sent).toEqual(["ab"]);
  expect(second.sent).toEqual(["x"]);
});

test("sends again after a turn without output", async () => {
  const { sent, output } = createPeer(new WrittenOutputs());
  output.write(bytes("a"));
  await endOfTurn();
  await endOfTurn();
  output.write(bytes("b"));
  await endOfTurn();
  expect(sent).toEqual(["a", "b"]);
});

test("keeps output while the peer takes nothing", async () => {
  let takes = false;
  const { sent, output } = createPeer(new WrittenOutputs(), () => takes);
  output.write(bytes("a"));
  await endOfTurn();
  expect(output.congested).toBe(true);
  output.write(bytes("b"));
  output.write(bytes("c"));
  await endOfTurn();
  expect(sent).toEqual(["a"]);
  takes = true;
  output.drain();
  expect(sent).toEqual(["a", "bc"]);
  expect(output.congested).toBe(false);
});

test("sends nothing after its end", async () => {
  const { sent, output } = createPeer(new WrittenOutputs());
  output.write(bytes("a"));
  output.close();
  output.write(bytes("b"));
  await endOfTurn();
  expect(sent).toEqual([]);
});

test("reuses a reader that holds no bytes, with the limit of its next connection", () => {
  const pool = new ReaderPool();
  const reader = pool.take(10);
  pool.giveBack(reader);
  const next = pool.take(1_000);
  expect(next).toBe(reader);
  expect(next.bodyBytesMax).toBe(1_000);
  expect(pool.take(10)).not.toBe(reader);
});
