// Searches for devices, with a BBMD and devices made of raw bytes.
import { afterEach, expect, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import { searchBacnet } from "../../../src/platform/bacnet/bacnet-discovery.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
/** Device 1201 of vendor 7 says who it is. */
const I_AM = "1000 c4020004b1 22 05c4 9103 2107";

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});

/** Something that answers each message; returns its port. */
async function peer(response: (message: Buffer) => readonly Buffer[]) {
  const socket = createSocket("udp4");
  open.push(socket);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, "127.0.0.1", resolve);
  await promise;
  socket.on("error", () => undefined); // the search has ended
  socket.on("message", (bytes, { port }) => {
    for (const message of response(bytes)) socket.send(message, port, "127.0.0.1");
  });
  return socket.address().port;
}

const frame = (kind: string, rest: string) => {
  const message = hex(`81${kind}0000${rest}`);
  message.writeUInt16BE(message.length, 2);
  return message;
};
const search = (port: number, more: object = {}) =>
  searchBacnet({
    addresses: ["127.0.0.1"],
    port,
    isBbmd: false,
    low: 1_201,
    high: 1_201,
    waitMs: 300,
    ...more,
  });

test("a device is asked by its number and found at the address that answered", async () => {
  const asked: string[] = [];
  const port = await peer((message) => {
    asked.push(message.toString("hex"));
    return [frame("0a", `0100 ${I_AM}`)];
  });
  expect(await search(port)).toEqual([
    { host: "127.0.0.1", port, deviceInstance: 1_201, vendorId: 7, network: null, mac: null },
  ]);
  expect(asked).toEqual(["810a00120120ffff00ff10080a04b11a04b1"]);
});

test("a BBMD registers the gateway, and what it forwards is found where it came from, behind routers too", async () => {
  const asked: string[] = [];
  const port = await peer((message) => {
    asked.push(message.subarray(0, 6).toString("hex"));
    return message[1] === 5 ? [frame("00", "0000")] : [frame("04", `c0a80146 bac1 0108 0005 01 0a ${I_AM}`)];
  });
  expect(await search(port, { isBbmd: true })).toEqual([
    {
      host: "192.168.1.70",
      port: 47_809,
      deviceInstance: 1_201,
      vendorId: 7,
      network: 5,
      mac: "0a",
    },
  ]);
  expect(asked).toEqual(["81050006001e", "810900120120"]);
});

test("a question or answer that was lost is asked for again", async () => {
  let isFirst = true;
  const port = await peer(() => {
    const responses = isFirst ? [] : [frame("0a", `0100 ${I_AM}`)];
    isFirst = false;
    return responses;
  });
  expect(await search(port)).toHaveLength(1);
});

test("a BBMD that does not answer is no network without devices", async () => {
  const port = await peer(() => []);
  await expect(search(port, { isBbmd: true })).rejects.toMatchObject({ code: "bacnet.no_response" });
});

test("a BBMD that refuses the registration is named", async () => {
  const port = await peer(() => [frame("00", "0030")]);
  await expect(search(port, { isBbmd: true })).rejects.toMatchObject({ code: "bacnet.not_registered" });
});

test("what is not a device with one of the numbers is not listed", async () => {
  const port = await peer(() => [
    Buffer.alloc(3),
    hex("810a0006 0100"),
    frame("0a", "0100 1000 65 ff ffffffff"),
    frame("0a", `0100 ${I_AM.replace("04b1", "04b2")}`),
    frame("0a", "0120"),
  ]);
  expect(await search(port)).toEqual([]);
});
