import { connect, type Socket } from "node:net";

/** A web server in front of a broker, as people have them: bytes of WebSockets go on to its port. */
export function createWebSocketProxy(port: number, tls?: { cert: string; key: string }) {
  const requests: Request[] = [];
  const server = Bun.serve<{ socket?: Socket }>({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    fetch(request, http) {
      requests.push(request);
      const headers = { "Sec-WebSocket-Protocol": "mqtt" };
      return http.upgrade(request, { data: {}, headers }) ? undefined : new Response("no", { status: 400 });
    },
    websocket: {
      open(peer) {
        const socket = connect({ host: "127.0.0.1", port });
        peer.data.socket = socket;
        socket.on("data", (bytes) => peer.send(bytes));
        socket.on("close", () => peer.close());
        socket.on("error", () => peer.close());
        peer.ping("are you there"); // which has to be answered between the messages
      },
      message: (peer, bytes) => void peer.data.socket?.write(bytes),
      close: (peer) => void peer.data.socket?.destroy(),
    },
  });
  return { port: server.port ?? 0, requests, stop: async () => void (await server.stop(true)) };
}
