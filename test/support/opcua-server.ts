import { createServer, type Socket } from "node:net";

/** Numbers of requests and of their responses in the binary encoding (OPC 10000-6, annex A). */
export const request = {
  endpoints: 428,
  openChannel: 446,
  createSession: 461,
  activateSession: 467,
  closeSession: 473,
  browse: 527,
  browseNext: 533,
  read: 631,
  write: 673,
  createItems: 751,
  deleteItems: 781,
  createSubscription: 787,
  publish: 826,
} as const;
/** The number of a response is that of its request and three. */
const RESPONSE = 3;
const CHANNEL = 7;
const TOKEN = 1;
const CHUNK_BYTES = 50_000;
const NO_POLICY = "http://opcfoundation.org/UA/SecurityPolicy#None";

export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
};
export const text = (value: string | null): Buffer =>
  value === null ? u32(-1) : Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);
export const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const NOTHING = u32(-1);
const NO_TIME = Buffer.alloc(8);
const nodeId = (number: number): Buffer => Buffer.from([1, 0, number & 0xff, number >> 8]);

const responseHeader = (handle: number, status: number): Buffer =>
  Buffer.concat([NO_TIME, u32(handle), u32(status), Buffer.from([0]), NOTHING, Buffer.from([0, 0, 0])]);

const BASIC256SHA256 = "http://opcfoundation.org/UA/SecurityPolicy#Basic256Sha256";

/** An endpoint for anonymous users: without security, or with signatures by a certificate. */
export const endpoint = (url: string, certificate?: Uint8Array): Buffer =>
  Buffer.concat([
    text(url),
    text("urn:test"),
    text("urn:test"),
    Buffer.from([2]),
    text("test"),
    u32(0),
    NOTHING,
    NOTHING,
    NOTHING,
    certificate === undefined ? NOTHING : Buffer.concat([u32(certificate.length), certificate]),
    u32(certificate === undefined ? 1 : 2),
    text(certificate === undefined ? NO_POLICY : BASIC256SHA256),
    u32(1),
    Buffer.concat([text("anonymous"), u32(0), NOTHING, NOTHING, NOTHING]),
    text("http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary"),
    Buffer.from([0]),
  ]);

/** Values of a read: a Double, good, without times. */
export const doubleValue = (value: number): Buffer => Buffer.concat([Buffer.from([1, 11]), double(value)]);
export const textValue = (value: string): Buffer => Buffer.concat([Buffer.from([1, 12]), text(value)]);
export const reads = (...values: Buffer[]): Buffer => Buffer.concat([u32(values.length), ...values, NOTHING]);

/** A subscription whose server says every 200 ms that it is alive. */
export const subscribed = (id: number): Buffer => Buffer.concat([u32(id), double(100), u32(600), u32(2)]);
/** Results for new monitored items: a status each. */
export const itemsCreated = (...statuses: number[]): Buffer =>
  Buffer.concat([
    u32(statuses.length),
    ...statuses.map((status, index) =>
      Buffer.concat([u32(status), u32(index + 1), double(100), u32(1), Buffer.from([0, 0, 0])]),
    ),
    NOTHING,
  ]);
/** What a subscription reports: values of variables by the handles that the gateway has given them. */
export function published(
  subscription: number,
  values: readonly (readonly [handle: number, value: Buffer])[],
  hasMore = false,
): Buffer {
  const items = Buffer.concat([
    u32(values.length),
    ...values.map(([handle, value]) => Buffer.concat([u32(handle), value])),
    NOTHING,
  ]);
  const change = Buffer.concat([Buffer.from([1, 0, 0x2b, 3, 1]), u32(items.length), items]);
  return Buffer.concat([
    u32(subscription),
    NOTHING,
    Buffer.from([hasMore ? 1 : 0]),
    u32(1),
    NO_TIME,
    values.length === 0 ? NOTHING : Buffer.concat([u32(1), change]),
    NOTHING,
    NOTHING,
  ]);
}

export interface Exchange {
  readonly socket: Socket;
  readonly kind: number;
  readonly requestId: number;
  /** The message as it came. */
  readonly message: Buffer;
  /** Sends a response with this body. */
  answer(body: Buffer, status?: number): void;
  /** Sends a long response to a request that is not the opening of a channel, in parts as servers do. */
  answerInChunks(body: Buffer): void;
  /** The response that `answer` would send. */
  framed(body: Buffer, status?: number): Buffer;
}

/** What the server does instead of its usual answer. */
export interface Misconduct {
  onConnect?: (socket: Socket) => void;
  onHello?: (socket: Socket) => void;
  on?: Partial<Record<number, (exchange: Exchange) => void>>;
}

function frame(kind: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(kind), u32(body.length + 8), body]);
}
export const acknowledge = (...limits: number[]): Buffer =>
  frame("ACKF", Buffer.concat([0, 65_536, 65_536, 0, 0].map((usual, index) => u32(limits[index] ?? usual))));

/** Returns the client's number of a request, which is behind the token of the session. */
function handleOf(message: Buffer, start: number): number {
  const lengths: Record<number, number> = { 0: 2, 1: 4, 2: 7 };
  const length = lengths[message[start] ?? 0] ?? 7 + message.readUInt32LE(start + 3);
  return message.readUInt32LE(start + length + 8);
}

/** An OPC UA server of bytes without security, for answers that no true server gives. */
export async function startOpcUaServer(misconduct: Misconduct = {}, port = 0) {
  const sockets = new Set<Socket>();
  const requests: number[] = [];
  let connections = 0;
  let url = "";
  const usual: Record<number, () => Buffer> = {
    [request.openChannel]: () => {
      return Buffer.concat([u32(0), u32(CHANNEL), u32(TOKEN), NO_TIME, u32(3_600_000), NOTHING]);
    },
    [request.endpoints]: () => Buffer.concat([u32(1), endpoint(url)]),
    [request.createSession]: () =>
      Buffer.concat([
        nodeId(1),
        nodeId(2),
        double(60_000),
        Buffer.concat([u32(32), Buffer.alloc(32, 1)]),
        NOTHING,
        u32(1),
        endpoint(url),
        NOTHING,
        NOTHING,
        NOTHING,
        u32(0),
      ]),
    [request.activateSession]: () =>
      Buffer.concat([Buffer.concat([u32(32), Buffer.alloc(32, 1)]), NOTHING, NOTHING]),
    [request.closeSession]: () => Buffer.alloc(0),
    [request.read]: () => reads(doubleValue(5)),
  };
  function receive(socket: Socket, message: Buffer, nextNumber: () => number): void {
    const type = message.toString("latin1", 0, 3);
    if (type === "HEL") {
      if (misconduct.onHello === undefined) socket.write(acknowledge());
      else misconduct.onHello(socket);
      return;
    }
    if (type === "CLO") return void socket.end();
    if (type !== "OPN" && type !== "MSG") return void socket.destroy();
    const isOpen = type === "OPN";
    const start = isOpen ? 12 + 4 + message.readUInt32LE(12) + 8 : 16;
    const requestId = message.readUInt32LE(start + 4);
    const kind = message.readUInt16LE(start + 8 + 2);
    requests.push(kind);
    const handle = handleOf(message, start + 12);
    const framed = (body: Buffer, status = 0) =>
      frame(
        isOpen ? "OPNF" : "MSGF",
        Buffer.concat([
          u32(CHANNEL),
          isOpen ? Buffer.concat([text(NO_POLICY), NOTHING, NOTHING]) : u32(TOKEN),
          u32(nextNumber()),
          u32(requestId),
          nodeId(status === 0 ? kind + RESPONSE : 397),
          responseHeader(handle, status),
          body,
        ]),
      );
    const response = (body: Buffer, status = 0) => void socket.write(framed(body, status));
    const answerInChunks = (body: Buffer) => {
      const rest = Buffer.concat([nodeId(kind + RESPONSE), responseHeader(handle, 0), body]);
      for (let from = 0; from < rest.length; from += CHUNK_BYTES) {
        const head = [CHANNEL, TOKEN, nextNumber(), requestId].map(u32);
        const name = from + CHUNK_BYTES < rest.length ? "MSGC" : "MSGF";
        socket.write(frame(name, Buffer.concat([...head, rest.subarray(from, from + CHUNK_BYTES)])));
      }
    };
    const own = misconduct.on?.[kind];
    if (own !== undefined)
      own({ socket, kind, requestId, message, answer: response, answerInChunks, framed });
    else response(usual[kind]?.() ?? Buffer.alloc(0), usual[kind] === undefined ? 0x800b_0000 : 0);
  }
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    misconduct.onConnect?.(socket);
    let rest = Buffer.alloc(0);
    let messages = 0;
    socket.on("data", (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 8 && rest.length >= rest.readUInt32LE(4)) {
        const length = Math.max(8, rest.readUInt32LE(4));
        receive(socket, rest.subarray(0, length), () => ++messages);
        rest = rest.subarray(length);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: listening } = server.address() as { port: number };
  url = `opc.tcp://127.0.0.1:${listening}`;
  return {
    port: listening,
    misconduct,
    requests,
    get connections() {
      return connections;
    },
    get open() {
      return sockets.size;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Variables below a node: the text of each node's address, and its name. */
export const browsed = (...nodes: (readonly [id: string, name: string])[]): Buffer =>
  Buffer.concat([
    u32(1),
    u32(0),
    NOTHING,
    u32(nodes.length),
    ...nodes.flatMap(([id, name]) => [
      Buffer.from([0, 35, 1, 3, 2, 0]),
      text(id),
      Buffer.from([2, 0]),
      text(name),
      Buffer.from([2]),
      text(name),
      u32(2),
      Buffer.from([0, 63]),
    ]),
    NOTHING,
  ]);
