import type { ServerWebSocket } from "bun";
import type { MqttConnectionHandle, MqttServer, MqttTransport } from "../../src/mqtt/mqtt.types.ts";

interface SocketData {
  handle?: MqttConnectionHandle;
}

const transportOf = (socket: ServerWebSocket<SocketData>): MqttTransport => ({
  remoteAddress: socket.remoteAddress,
  // -1: taken, but the peer is behind.
  write: (bytes) => socket.sendBinary(bytes) > 0,
  close: () => socket.close(),
  pause: () => {},
  resume: () => {},
});

/** The HTTP server's part: hands WebSocket connections over to the MQTT server. */
export function serveWebSocket(server: MqttServer) {
  return Bun.serve<SocketData>({
    port: 0,
    fetch(request, http) {
      // `mqtt`, or `mqttv3.1` of older clients.
      const protocol = request.headers.get("Sec-WebSocket-Protocol");
      const headers = protocol === null ? {} : { "Sec-WebSocket-Protocol": protocol };
      return http.upgrade(request, { data: {}, headers }) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      open: (socket) => {
        socket.data.handle = server.accept(transportOf(socket));
      },
      message: (socket, message) => {
        socket.data.handle?.data(typeof message === "string" ? Buffer.from(message) : message);
      },
      drain: (socket) => socket.data.handle?.drain(),
      close: (socket) => socket.data.handle?.closed(),
    },
  });
}
