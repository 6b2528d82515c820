import type { Server, ServerWebSocket, WebSocketHandler } from "bun";
import type { Peer } from "../modules/api/request-peer.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import { type RealtimeDeps, RealtimeSession } from "../modules/realtime/realtime-session.ts";
import type { DeviceSocket, DeviceSocketServer } from "../mqtt/device-sockets.types.ts";
import type { MqttConnectionHandle, MqttServer } from "../mqtt/mqtt.types.ts";

/** Handlers of the frames of an upgraded connection, stored as the data of the socket. */
export interface SocketHandlers {
  /** True until the other side has signed in. */
  readonly isStranger: boolean;
  open(socket: ServerWebSocket<SocketHandlers>): void;
  message(message: string | Buffer): void;
  drain(): void;
  close(): void;
}

/** Max. bytes of a frame: one MQTT packet with a margin. */
const FRAME_BYTES_MAX = 1024 * 1024;
const BUFFERED_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Max. frames of a connection per round of the event loop. Each ping is answered, and the gateway's own pings are rare. This many other frames are
 * shorter than any message; handlers have smaller limits for expensive ones.
 */
const FRAMES_MAX = { ping: 100, pong: 100, message: 5_000 } as const;
/**
 * Messages of all connections in a round beyond which each may send only its share: hundreds of connections may send together. Those of strangers,
 * who need a few to sign in, count by themselves.
 */
const MESSAGES_TOGETHER = {
  strangers: { max: 20_000, share: 100 },
  signedIn: { max: 100_000, share: 1_000 },
} as const;
/** Counted frames of this round. */
const frames = {
  ping: new Map<unknown, number>(),
  pong: new Map<unknown, number>(),
  message: new Map<unknown, number>(),
};
const messageCounts = { strangers: 0, signedIn: 0 };
let isCounting = false;
let floodedCount = 0;

/** Returns the number of connections closed for too many frames since the previous call. */
export function takeFloodedCount(): number {
  const count = floodedCount;
  floodedCount = 0;
  return count;
}

/** Counts a message. Returns how many the connection may send in this round. */
function messagesMax({ data }: ServerWebSocket<SocketHandlers>): number {
  const who = data.isStranger ? "strangers" : "signedIn";
  const { max, share } = MESSAGES_TOGETHER[who];
  return ++messageCounts[who] > max ? share : FRAMES_MAX.message;
}

/** Counts a frame. Returns whether it must be handled: the connection ends after too many, and later frames are ignored. */
function isTaken(socket: ServerWebSocket<SocketHandlers>, kind: keyof typeof frames): boolean {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      isCounting = false;
      messageCounts.strangers = 0;
      messageCounts.signedIn = 0;
      for (const counts of Object.values(frames)) counts.clear();
    });
  }
  const count = (frames[kind].get(socket) ?? 0) + 1;
  frames[kind].set(socket, count);
  const max = kind === "message" ? messagesMax(socket) : FRAMES_MAX[kind];
  const isOpen = socket.readyState === WebSocket.OPEN;
  if (isOpen && count <= max) return true;
  if (isOpen) floodedCount++;
  socket.terminate();
  return false;
}

export const websocketHandler: WebSocketHandler<SocketHandlers> = {
  maxPayloadLength: FRAME_BYTES_MAX,
  backpressureLimit: BUFFERED_BYTES_MAX,
  closeOnBackpressureLimit: true,
  idleTimeout: 120,
  open: (socket) => socket.data.open(socket),
  message(socket, message) {
    if (isTaken(socket, "message")) socket.data.message(message);
  },
  ping: (socket) => void isTaken(socket, "ping"),
  pong: (socket) => void isTaken(socket, "pong"),
  drain: (socket) => socket.data.drain(),
  close: (socket) => socket.data.close(),
};

/** Creates the handlers of one `/api/ws` connection. */
export function realtimeHandlers(deps: RealtimeDeps, peer: Peer): SocketHandlers {
  let session: RealtimeSession | undefined;
  return {
    get isStranger() {
      return session?.isSignedIn !== true;
    },
    open(socket) {
      session = new RealtimeSession(
        {
          send: (text) => void socket.sendText(text),
          bufferedBytes: () => socket.getBufferedAmount(),
          close: (code, reason) => socket.close(code, reason),
          peer,
        },
        deps,
      );
    },
    message: (message) => void session?.message(message.toString()),
    drain: () => session?.drain(),
    close: () => session?.ended(),
  };
}

/** Creates the handlers of one MQTT connection over WebSocket (MQTT 5, section 6: binary frames, which packets may span). */
export function mqttHandlers(mqtt: MqttServer, peer: Pick<Peer, "address" | "protocol">): SocketHandlers {
  let handle: MqttConnectionHandle | undefined;
  return {
    get isStranger() {
      return handle?.isSignedIn !== true;
    },
    open(socket) {
      handle = mqtt.accept({
        remoteAddress: peer.address,
        protocol: peer.protocol,
        write: (bytes) => socket.sendBinary(bytes) > 0,
        close: () => socket.close(),
        // A WebSocket cannot be paused, so the connection limits what it buffers.
        pause: () => {},
        resume: () => {},
      });
    },
    message(message) {
      handle?.data(typeof message === "string" ? new Uint8Array([0]) : message); // a text frame is a protocol error: type 0
    },
    drain: () => handle?.drain(),
    close: () => handle?.closed(),
  };
}

/** Creates the handlers of a connection of a device. Text and binary frames are distinguished by content. */
export function deviceHandlers(sockets: DeviceSocketServer, device: IngestDevice): SocketHandlers {
  let connection: DeviceSocket | undefined;
  return {
    isStranger: false,
    open(socket) {
      connection = sockets.open(device, {
        send: (frame) => void socket.send(frame),
        close: (code, reason) => socket.close(code, reason),
      });
    },
    message: (message) => connection?.message(message),
    drain: () => {},
    close: () => connection?.closed(),
  };
}

/** Upgrades the connection of a request. Returns false if it is not a WebSocket handshake. */
export function upgrade(
  server: Server<SocketHandlers> | null,
  request: Request,
  options: { handlers: SocketHandlers; protocol?: string },
): boolean {
  const headers = options.protocol === undefined ? undefined : { "sec-websocket-protocol": options.protocol };
  return server?.upgrade(request, { data: options.handlers, ...(headers && { headers }) }) ?? false;
}
