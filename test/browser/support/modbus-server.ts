import { createServer, type Server, type Socket } from "node:net";
import { createFrameCodec, type ModbusFrame } from "../../../src/lib/modbus/modbus-frames.ts";

const READ_HOLDING = 3;
const ILLEGAL_ADDRESS = 2;
const MBAP_BYTES = 7;

/** A small Modbus TCP server with holding registers, on 127.0.0.1. */
export class ModbusServer {
  /** Words, by address. Any other address is refused. */
  readonly words = new Map<number, number>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  get port(): number {
    return this.#port;
  }

  /** Listens on the same port as before, if there was one. */
  async start(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(this.#port, "127.0.0.1", resolve);
    await promise;
    const address = server.address();
    if (address !== null && typeof address === "object") this.#port = address.port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    await new Promise((resolve) => server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => this.#sockets.delete(socket));
    let bytes: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (;;) {
        const end = bytes.length < MBAP_BYTES ? Number.POSITIVE_INFINITY : 6 + bytes.readUInt16BE(4);
        if (bytes.length < end) return;
        const request = {
          transaction: bytes.readUInt16BE(0),
          unitId: bytes.readUInt8(6),
          pdu: bytes.subarray(MBAP_BYTES, end),
        };
        bytes = bytes.subarray(end);
        socket.write(createFrameCodec("TCP").encode({ ...request, pdu: this.#answer(request) }));
      }
    });
  }

  #answer({ pdu }: ModbusFrame): Uint8Array {
    const request = Buffer.from(pdu);
    const functionCode = request.readUInt8(0);
    const address = request.readUInt16BE(1);
    const count = request.readUInt16BE(3);
    const words = Array.from({ length: count }, (_, index) => this.words.get(address + index));
    if (functionCode !== READ_HOLDING || words.includes(undefined))
      return Uint8Array.of(functionCode | 0x80, ILLEGAL_ADDRESS);
    const answer = Buffer.alloc(2 + 2 * count);
    answer.writeUInt8(functionCode, 0);
    answer.writeUInt8(2 * count, 1);
    for (const [index, word = 0] of words.entries()) answer.writeUInt16BE(word, 2 + 2 * index);
    return answer;
  }
}
