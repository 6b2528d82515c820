import { createServer, type Socket } from "node:net";
import { crc16, createFrameCodec, type ModbusFrame } from "../../src/lib/modbus/modbus-frames.ts";
import type { ModbusFraming } from "../../src/lib/modbus/modbus-lists.ts";

/** A request that the server got. */
export interface ServerRequest extends ModbusFrame {
  readonly socket: Socket;
  /** Number of the connection, from 1. */
  readonly connection: number;
  readonly functionCode: number;
  readonly address: number;
  readonly count: number;
}

export type Script = (request: ServerRequest) => Uint8Array | undefined;

/** Returns the bytes of an answer. */
export function responseFrame(framing: ModbusFraming, frame: ModbusFrame): Uint8Array {
  return createFrameCodec(framing).encode(frame);
}

export const exceptionOf = ({ functionCode }: ServerRequest, code: number): Uint8Array =>
  Uint8Array.of(functionCode | 0x80, code);

/** Returns words that are the addresses of the registers, so that a value in the wrong place shows. */
export function addressesPdu({ functionCode, address, count }: ServerRequest): Uint8Array {
  const words = Buffer.alloc(count * 2);
  for (let index = 0; index < count; index++) words.writeUInt16BE(address + index, index * 2);
  return Uint8Array.of(functionCode, words.length, ...words);
}

/** Answers from holding registers, by address. Any other register is refused. */
export const holding =
  (words: ReadonlyMap<number, number>): Script =>
  (request) => {
    const { functionCode, address, count } = request;
    const values = Array.from({ length: count }, (_, index) => words.get(address + index));
    const bytes = values.flatMap((word = 0) => [word >> 8, word & 0xff]);
    const isThere = functionCode === 3 && !values.includes(undefined);
    const pdu = isThere ? Uint8Array.of(functionCode, bytes.length, ...bytes) : exceptionOf(request, 2);
    return responseFrame("TCP", { ...request, pdu });
  };

function parseRequests(framing: ModbusFraming, bytes: Buffer): { frames: ModbusFrame[]; rest: Buffer } {
  const frames: ModbusFrame[] = [];
  let rest = bytes;
  for (;;) {
    if (framing === "TCP") {
      if (rest.length < 8 || rest.length < 6 + rest.readUInt16BE(4)) return { frames, rest };
      const end = 6 + rest.readUInt16BE(4);
      frames.push({
        transaction: rest.readUInt16BE(0),
        unitId: rest.readUInt8(6),
        pdu: Uint8Array.from(rest.subarray(7, end)),
      });
      rest = rest.subarray(end);
    } else {
      if (rest.length < 8) return { frames, rest };
      const isLong = rest.readUInt8(1) >= 15;
      const end = isLong ? 9 + rest.readUInt8(6) : 8;
      if (rest.length < end) return { frames, rest };
      if (crc16(rest.subarray(0, end - 2)) !== rest.readUInt16LE(end - 2)) throw new Error("checksum");
      frames.push({
        transaction: 0,
        unitId: rest.readUInt8(0),
        pdu: Uint8Array.from(rest.subarray(1, end - 2)),
      });
      rest = rest.subarray(end);
    }
  }
}

/** A Modbus server whose answers a script decides on; `undefined` sends nothing. The script may also write to the socket itself. */
export async function startModbusServer(script: Script, framing: ModbusFraming = "TCP", port = 0) {
  const sockets = new Set<Socket>();
  const requests: ServerRequest[] = [];
  let current = script;
  let connections = 0;
  let openMax = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    openMax = Math.max(openMax, sockets.size);
    const connection = ++connections;
    let bytes: Buffer = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk: Buffer) => {
      const { frames, rest } = parseRequests(framing, Buffer.concat([bytes, chunk]));
      bytes = rest;
      for (const frame of frames) {
        const view = Buffer.from(frame.pdu);
        const request: ServerRequest = {
          ...frame,
          socket,
          connection,
          functionCode: view.readUInt8(0),
          address: view.readUInt16BE(1),
          count: view.readUInt16BE(3),
        };
        requests.push(request);
        const response = current(request);
        if (response !== undefined) socket.write(response);
      }
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(port, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    requests,
    get connections() {
      return connections;
    },
    /** Connections that are open now. */
    get open() {
      return sockets.size;
    },
    /** Most connections that were open at the same time. */
    get openMax() {
      return openMax;
    },
    use(next: Script) {
      current = next;
    },
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

export type ModbusServer = Awaited<ReturnType<typeof startModbusServer>>;
